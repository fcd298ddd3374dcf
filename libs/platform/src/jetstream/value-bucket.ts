import { type ValueStore, valueStoreName, valueSubject } from '@slipway/contracts';
import {
  type JetStreamClient,
  jetstream,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  type StoredMsg,
} from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';

/** A value and its number in the store's stream. */
export interface StoredValue {
  readonly bytes: Uint8Array;
  readonly seq: number;
  /** How many parts the value has, where its writer said so; else 1. */
  readonly parts: number;
}

export interface PutOptions {
  /** The value is refused unless the key's last one has this number; 0 = the key has none. Absent = no condition. */
  readonly expectedSeq?: number;
  /** Written beside the value: how many parts it has. */
  readonly parts?: number;
}

/** Thrown by `put` when somebody else wrote the key meanwhile. */
export class ConflictError extends Error {
  override readonly name = 'ConflictError';
}

export interface ValueBucketOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly store: ValueStore;
  /** Timeout of each question, in milliseconds. */
  readonly timeoutMs: number;
}

const PARTS = 'Slipway-Parts';
const CONFLICTS: readonly number[] = [JetStreamApiCodes.StreamWrongLastSequence, JetStreamApiCodes.StreamWrongLastSequenceUnknown];

/** Values by key in a store that every replica of a role shares. A value is at most as large as a message. Keys are subject tokens. */
export class ValueBucket {
  readonly #jetStream: JetStreamClient;
  readonly #name: string;
  #manager: Promise<JetStreamManager> | undefined;

  constructor(private readonly options: ValueBucketOptions) {
    this.#jetStream = jetstream(options.nats, { timeout: options.timeoutMs });
    this.#name = valueStoreName(options.store, options.env);
  }

  /**
   * Writes a value. @returns its number in the stream, above those of all values before it
   * @throws ConflictError where `expectedSeq` does not hold; another error where JetStream does not confirm the value
   */
  async put(key: string, bytes: Uint8Array, { expectedSeq, parts }: PutOptions = {}): Promise<number> {
    const head = headers();
    if (parts !== undefined) head.set(PARTS, String(parts));
    const expect = expectedSeq === undefined ? {} : { expect: { lastSubjectSequence: expectedSeq } };
    try {
      return (await this.#jetStream.publish(this.#subject(key), bytes, { headers: head, ...expect })).seq;
    } catch (error) {
      if (error instanceof JetStreamApiError && CONFLICTS.includes(error.code)) throw new ConflictError(`${key} was changed meanwhile.`);
      throw error;
    }
  }

  /**
   * The value of a key; null for none. Any server of a cluster may answer; one that has no value yet is not believed, and the leader
   * is asked.
   */
  async get(key: string): Promise<StoredValue | null> {
    const manager = await this.#management();
    const near = await manager.direct.getMessage(this.#name, { last_by_subj: this.#subject(key) });
    return near ? valueOf(near) : this.getCertain(key);
  }

  /** The value of a key as the leader has it; null for none. */
  async getCertain(key: string): Promise<StoredValue | null> {
    const found = await (await this.#management()).streams.getMessage(this.#name, { last_by_subj: this.#subject(key) });
    return found && valueOf(found);
  }

  /** Removes the values of all keys that `keys` matches. @param below only those with lower numbers; absent = all. @returns how many */
  async remove(keys: string, below?: number): Promise<number> {
    const { streams } = await this.#management();
    return (await streams.purge(this.#name, { filter: this.#subject(keys), ...(below !== undefined && { seq: below }) })).purged;
  }

  #subject(key: string): string {
    return valueSubject(this.options.store, this.options.env, key);
  }

  #management(): Promise<JetStreamManager> {
    this.#manager ??= this.#jetStream.jetstreamManager(false);
    return this.#manager;
  }
}

const valueOf = ({ data: bytes, seq, header }: StoredMsg): StoredValue => ({ bytes, seq, parts: Number(header.get(PARTS) || 1) });
