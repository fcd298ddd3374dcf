import { Inject, Injectable } from '@nestjs/common';
import { engineOf } from '@slipway/contracts';
import { CONFIG, NATS, type NatsConnection, UnreadableSecretError } from '@slipway/platform';
import type { DeploymentsServiceConfig } from '../config.js';
import { CredentialVault } from '../deployments/credential-vault.js';
import { itemBytesMax } from './assignment-sender.js';
import type { Failure } from './failures.js';
import { ModelSizes } from './model-sizes.js';
import type { Revision, StoredRevision, StoredTarget, Target } from './target.js';

const UNREADABLE: Failure = {
  reason: 'engine_refused',
  detail:
    'The stored credential of this engine cannot be read with the present SLIPWAY_SECRET_KEY; update the deployment with the credential.',
};

const untellable = (bytes: number, most: number): Failure => ({
  reason: 'no_capacity',
  detail: `Workers are told of this revision in ${bytes} bytes, and a message to them may have ${most} (max_payload of the NATS server).`,
});

/** What an item takes besides its source and its secret, in bytes. */
const ITEM_BYTES = 1_024;

/** Adds to stored targets what only this machine knows: file sizes, and whether agents can be told of them. */
@Injectable()
export class TargetLoader {
  /** Sealed texts that could be opened when they were first seen; they never change. */
  #openable = new Set<string>();

  readonly #sizes: ModelSizes;
  readonly #vault: CredentialVault;
  readonly #unknownModelBytes: number;
  readonly #nats: NatsConnection;

  constructor(
    sizes: ModelSizes,
    vault: CredentialVault,
    @Inject(CONFIG) { UNKNOWN_MODEL_BYTES: unknownModelBytes }: DeploymentsServiceConfig,
    @Inject(NATS) nats: NatsConnection,
  ) {
    this.#sizes = sizes;
    this.#vault = vault;
    this.#unknownModelBytes = unknownModelBytes;
    this.#nats = nats;
  }

  async complete(targets: readonly StoredTarget[]): Promise<Target[]> {
    const openable = new Set<string>();
    const complete = await Promise.all(
      targets.map(async (target) => {
        const revisions = target.revisions.map(async (revision): Promise<Revision> => ({
          ...revision,
          ...(await this.#memoryOf(revision)),
          fault: this.#faultOf(revision, target.account, openable),
        }));
        return { ...target, revisions: await Promise.all(revisions) };
      }),
    );
    this.#openable = openable;
    return complete;
  }

  #faultOf(revision: StoredRevision, account: number, openable: Set<string>): Failure | null {
    const { credential, source } = revision;
    if (credential !== null && !this.#openable.has(credential) && !this.#canOpen(credential, account)) return UNREADABLE;
    if (credential !== null) openable.add(credential);
    const bytes = Buffer.byteLength(JSON.stringify(source)) + (credential?.length ?? 0) + ITEM_BYTES;
    const most = itemBytesMax(this.#nats);
    return bytes <= most ? null : untellable(bytes, most);
  }

  async #memoryOf({ source, context, slots }: StoredRevision): Promise<Pick<Revision, 'bytes' | 'mapped'>> {
    const { memoryNeed } = engineOf(source);
    if (memoryNeed === null) return { bytes: 0, mapped: 0 };
    const fileBytes = (await this.#sizes.bytesOf(source)) ?? this.#unknownModelBytes;
    return { bytes: memoryNeed({ fileBytes, context, slots }), mapped: fileBytes };
  }

  #canOpen(credential: string, account: number): boolean {
    try {
      this.#vault.open(credential, account);
      return true;
    } catch (error) {
      if (error instanceof UnreadableSecretError) return false;
      throw error;
    }
  }
}
