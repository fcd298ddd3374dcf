import { type AccountId, type DeploymentId, isServiceError, ResponseStore } from '@slipway/contracts';
import { type Logger, type NatsConnection, overWithin, type SecretVault, ValueBucket } from '@slipway/platform';
import { Counter, type Registry } from '@slipway/platform/metrics';
import { AccountBounds, valuesOf } from './account-bounds.js';
import { inTurns, SealedValues, storedBytes, storeUnavailable } from './sealed-values.js';
import { type StoredPart, type StoredValues, valueName } from './stored-values.js';

const MIB = 1024 * 1024;
/** Most that one account stores, in bytes. */
const ACCOUNT_BYTES_MAX = 64 * MIB;
/** Part of it that a gateway notes ahead. */
const AHEAD_SHARE = 1 / 256;
/** Longest value, in bytes: the conversation of one response, or the response. */
const VALUE_BYTES_MAX = 8 * MIB;
/** Time in which a response must be stored, in milliseconds: its last event waits for it. */
const STORE_MS = 2_000;
/** Timeout of one question to the store, in milliseconds. */
const ANSWER_MS = 2_000;

/** Where a response is stored: others' deployments and accounts cannot name it. */
export interface ResponseOwner {
  readonly account: AccountId;
  readonly deployment: DeploymentId;
}

const keyOf = ({ account, deployment }: ResponseOwner, name: string): string => `r.${account}.${deployment}.${name}`;

export interface StoredResponsesOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  /** Seals the values; null = they are stored as they are. */
  readonly vault: SecretVault | null;
  readonly log: Pick<Logger, 'warn' | 'info'>;
  readonly metrics: Registry;
  /** False when the deployment is gone or stores no longer: nothing is written then. */
  readonly isStoring: (deployment: DeploymentId) => boolean;
  /** Most bytes of one account; absent = `ACCOUNT_BYTES_MAX`. */
  readonly accountBytesMax?: number | undefined;
  /** Absent = `STORE_MS`. */
  readonly storeMs?: number | undefined;
}

/**
 * Responses that later requests may refer to, shared by all gateways: an hour long, at most `ACCOUNT_BYTES_MAX` of one account, of
 * which the oldest go first.
 */
export class StoredResponses {
  readonly #bucket: ValueBucket;
  readonly #values: SealedValues;
  readonly #bounds: AccountBounds;
  readonly #written: Counter<'outcome'>;
  #failing = false;

  constructor(private readonly options: StoredResponsesOptions) {
    const { nats, env, vault, metrics, accountBytesMax: bytesMax = ACCOUNT_BYTES_MAX } = options;
    this.#bucket = new ValueBucket({ nats, env, store: ResponseStore, timeoutMs: ANSWER_MS });
    this.#values = new SealedValues(this.#bucket, vault);
    this.#bounds = new AccountBounds({
      bucket: this.#bucket,
      bytesMax,
      aheadBytes: Math.floor(bytesMax * AHEAD_SHARE),
      ageMs: ResponseStore.ageMs,
    });
    this.#written = new Counter({
      name: 'slipway_gateway_stored_responses_total',
      help: 'Responses that were to be stored: stored, too_large, failed.',
      labelNames: ['outcome'],
      registers: [metrics],
    });
  }

  /**
   * Stores a response and its conversation. Never rejects.
   * @returns true once any gateway can read them; false where they are too large, or the store did not confirm them in time
   */
  async store(owner: ResponseOwner, stream: string, { o, i }: Readonly<Record<StoredPart, string>>): Promise<boolean> {
    if (!this.options.isStoring(owner.deployment)) return false;
    const [response, conversation] = [Buffer.from(o), Buffer.from(i)];
    if (Math.max(response.length, conversation.length) > VALUE_BYTES_MAX) return this.#end('too_large');
    const write = async (): Promise<void> => {
      await this.#bounds.reserve(owner.account, storedBytes(response.length) + storedBytes(conversation.length));
      await this.#values.put(keyOf(owner, valueName(stream, 'i')), conversation);
      await this.#values.put(keyOf(owner, valueName(stream, 'o')), response);
    };
    try {
      if (!(await overWithin(this.options.storeMs ?? STORE_MS, write()))) throw new Error('The store did not confirm in time.');
      return this.#end('stored');
    } catch (error) {
      if (!this.#failing) this.options.log.warn({ err: error }, 'stored_responses.failed');
      this.#failing = true;
      return this.#end('failed');
    }
  }

  /**
   * Reads values by name.
   * @param expect called with the length of each value before it is read whole. What it throws ends the read.
   * @throws ServiceError `deployment_unavailable` where the store does not answer
   */
  async find(owner: ResponseOwner, names: readonly string[], expect: (bytes: number) => void): Promise<StoredValues> {
    const read = async (name: string): Promise<readonly [string, Uint8Array | null]> => [
      name,
      await this.#values.get(keyOf(owner, name), expect),
    ];
    try {
      const found = await inTurns(names, read);
      return new Map(found.filter((entry): entry is readonly [string, Uint8Array] => entry[1] !== null));
    } catch (error) {
      throw isServiceError(error) ? error : storeUnavailable(error);
    }
  }

  /** Removes a response. @returns false where there is none @throws ServiceError `deployment_unavailable` */
  async remove(owner: ResponseOwner, stream: string): Promise<boolean> {
    try {
      const isThere = (await this.#bucket.get(keyOf(owner, `${valueName(stream, 'o')}.0`))) !== null;
      if (isThere) await this.#bucket.remove(keyOf(owner, `${stream}.>`));
      return isThere;
    } catch (error) {
      throw storeUnavailable(error);
    }
  }

  /** Removes all of a deployment, which is gone or stores no longer. Never throws: what stays cannot be read, and ends by itself. */
  forgetDeployment(deployment: DeploymentId): void {
    this.#forget(() => this.#bucket.remove(`r.*.${deployment}.>`));
  }

  /** Removes all of an account that is gone or suspended; otherwise as `forgetDeployment`. */
  forgetAccount(account: AccountId): void {
    this.#forget(async () => {
      await this.#bucket.remove(valuesOf(account));
      await this.#bounds.forget(account);
    });
  }

  #forget(remove: () => Promise<unknown>): void {
    remove().catch((error: unknown) => this.options.log.warn({ err: error }, 'stored_responses.not_removed'));
  }

  #end(outcome: 'stored' | 'too_large' | 'failed'): boolean {
    this.#written.inc({ outcome });
    if (outcome === 'stored') {
      if (this.#failing) this.options.log.info({}, 'stored_responses.recovered');
      this.#failing = false;
    }
    return outcome === 'stored';
  }
}
