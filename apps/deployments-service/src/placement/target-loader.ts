import { stat } from 'node:fs/promises';
import { Inject, Injectable } from '@nestjs/common';
import { engineOf, fileOf, type ModelSource } from '@slipway/contracts';
import { CONFIG, NATS, type NatsConnection, UnreadableSecretError } from '@slipway/platform';
import type { DeploymentsServiceConfig } from '../config.js';
import { CredentialVault } from '../deployments/revision-settings.js';
import { itemBytesMax } from './assignment-sender.js';
import type { Failure } from './failures.js';
import type { Revision, StoredRevision, StoredTarget, Target } from './target.js';

/** How long a file size is reused, in milliseconds. */
const FRESH_MS = 10_000;

/** Sizes of the model files on this machine. */
class ModelSizes {
  readonly #sizes = new Map<string, { readonly bytes: number | null; readonly readAt: number }>();

  /** Size of the file in bytes; null when it is not on this machine. */
  async bytesOf(source: ModelSource): Promise<number | null> {
    const path = fileOf(source);
    if (path === null) return null;
    const known = this.#sizes.get(path);
    if (known && performance.now() - known.readAt < FRESH_MS) return known.bytes;
    const bytes = await sizeOf(path);
    this.#sizes.set(path, { bytes, readAt: performance.now() });
    return bytes;
  }
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    const file = await stat(path);
    return file.isFile() ? file.size : null;
  } catch {
    return null;
  }
}

const UNREADABLE: Failure = {
  reason: 'engine_refused',
  detail:
    'The stored credential of this engine cannot be read with the present SLIPWAY_SECRET_KEY; update the deployment with the credential.',
};

const tooLarge = (bytes: number, most: number): Failure => ({
  reason: 'no_capacity',
  detail: `The message that assigns this revision to a worker has ${bytes} bytes; at most ${most} are allowed (max_payload of the NATS server).`,
});

/** Bytes of an assignment item besides its source, adapter and secret. */
const ITEM_BYTES = 1_024;

/** Memory of one replica, in bytes. */
type MemoryNeed = Pick<Revision, 'bytes' | 'mapped'> & { readonly fileBytes: number | null };

/** Completes stored targets with model sizes and with faults that keep a revision from being assigned. */
@Injectable()
export class TargetLoader {
  /** Sealed texts that could be opened before. They never change. */
  #openable = new Set<string>();

  readonly #sizes = new ModelSizes();
  readonly #vault: CredentialVault;
  readonly #unknownModelBytes: number;
  readonly #nats: NatsConnection;

  constructor(
    vault: CredentialVault,
    @Inject(CONFIG) { UNKNOWN_MODEL_BYTES: unknownModelBytes }: DeploymentsServiceConfig,
    @Inject(NATS) nats: NatsConnection,
  ) {
    this.#vault = vault;
    this.#unknownModelBytes = unknownModelBytes;
    this.#nats = nats;
  }

  /** Adds memory need and fault to the revisions of each target. */
  async complete(targets: readonly StoredTarget[]): Promise<Target[]> {
    const openable = new Set<string>();
    const complete = await Promise.all(
      targets.map(async (target) => {
        const revisions = target.revisions.map(async (revision): Promise<Revision> => ({
          ...revision,
          ...(await this.#needOf(revision)),
          fault: this.#faultOf(revision, target.account, openable),
        }));
        return { ...target, revisions: await Promise.all(revisions) };
      }),
    );
    this.#openable = openable;
    return complete;
  }

  #faultOf(revision: StoredRevision, account: number, openable: Set<string>): Failure | null {
    const { credential, source, adapter } = revision;
    if (credential !== null && !this.#openable.has(credential) && !this.#canOpen(credential, account)) return UNREADABLE;
    if (credential !== null) openable.add(credential);
    const bytes = Buffer.byteLength(JSON.stringify([source, adapter])) + (credential?.length ?? 0) + ITEM_BYTES;
    const most = itemBytesMax(this.#nats);
    return bytes <= most ? null : tooLarge(bytes, most);
  }

  async #needOf(revision: StoredRevision): Promise<Pick<Revision, 'bytes' | 'mapped'>> {
    const { bytes, mapped } = await this.memoryOf(revision);
    return { bytes: bytes + (revision.adapter?.bytes ?? 0), mapped };
  }

  /** Memory of one replica. `fileBytes`: size of the model's file; null = unknown, so that a size is assumed, or none. */
  async memoryOf({ source, context, slots }: Pick<StoredRevision, 'source' | 'context' | 'slots'>): Promise<MemoryNeed> {
    const { memoryNeed } = engineOf(source);
    if (memoryNeed === null) return { bytes: 0, mapped: 0, fileBytes: null };
    const fileBytes = await this.#sizes.bytesOf(source);
    const mapped = fileBytes ?? this.#unknownModelBytes;
    return { bytes: memoryNeed({ fileBytes: mapped, context, slots }), mapped, fileBytes };
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
