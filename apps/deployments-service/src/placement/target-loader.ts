import { stat } from 'node:fs/promises';
import { embeddingShape } from '@slipway/engine';
import { Inject, Injectable } from '@nestjs/common';
import { type EmbeddingShape, engineOf, fileOf, type ModelSource } from '@slipway/contracts';
import { CONFIG, NATS, type NatsConnection, UnreadableSecretError } from '@slipway/platform';
import type { DeploymentsServiceConfig } from '../config.js';
import { CredentialVault } from '../deployments/revision-settings.js';
import { itemBytesMax } from './assignment-sender.js';
import type { Failure } from './failures.js';
import type { Revision, StoredRevision, StoredTarget, Target } from './target.js';

/** How long a file is taken as unchanged, in milliseconds. */
const FRESH_MS = 10_000;

/** A model file on this machine. */
interface ModelFile {
  readonly bytes: number;
  /** When it was last changed, in milliseconds since the epoch. */
  readonly changedAt: number;
  /** Null = it makes no embeddings. */
  readonly embeds: EmbeddingShape | null;
}

/** Sizes of the model files on this machine. */
class ModelFiles {
  readonly #files = new Map<string, { readonly file: ModelFile | null; readonly readAt: number }>();

  /** Null when the file is not on this machine. */
  async of(source: ModelSource): Promise<ModelFile | null> {
    const path = fileOf(source);
    if (path === null) return null;
    const known = this.#files.get(path);
    if (known && performance.now() - known.readAt < FRESH_MS) return known.file;
    const file = await fileAt(path, known?.file ?? null);
    this.#files.set(path, { file, readAt: performance.now() });
    return file;
  }
}

/** @param known what was read before; its metadata are read again only when the file has changed */
async function fileAt(path: string, known: ModelFile | null): Promise<ModelFile | null> {
  const found = await stat(path).catch(() => null);
  if (!found?.isFile()) return null;
  const { size: bytes, mtimeMs: changedAt } = found;
  if (known?.bytes === bytes && known.changedAt === changedAt) return known;
  return { bytes, changedAt, embeds: await embeddingShape(path) };
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

  readonly #files = new ModelFiles();
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
    // What an HTTP engine computes takes nothing here, its adapter neither.
    return { bytes: bytes === 0 ? 0 : bytes + (revision.adapter?.bytes ?? 0), mapped };
  }

  /** Memory of one replica. `fileBytes`: size of the model's file; null = unknown, so that a size is assumed, or none. */
  async memoryOf({ source, context, slots }: Pick<StoredRevision, 'source' | 'context' | 'slots'>): Promise<MemoryNeed> {
    const { memoryNeed } = engineOf(source);
    if (memoryNeed === null) return { bytes: 0, mapped: 0, fileBytes: null };
    const file = await this.#files.of(source);
    const mapped = file?.bytes ?? this.#unknownModelBytes;
    const bytes = memoryNeed({ fileBytes: mapped, context, slots, embeds: file?.embeds ?? undefined });
    return { bytes, mapped, fileBytes: file?.bytes ?? null };
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
