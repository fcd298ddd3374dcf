import { UnreadableSecretError } from '@slipway/platform';
import type { CredentialVault } from '../deployments/credential-vault.js';
import type { Failure } from './failures.js';
import { memoryNeed } from './memory-need.js';
import type { ModelSizes } from './model-sizes.js';
import type { Revision, StoredRevision, StoredTarget, Target } from './target.js';

const UNREADABLE: Failure = {
  reason: 'engine_refused',
  detail:
    'The stored credential of this engine cannot be read with the present SLIPWAY_SECRET_KEY; update the deployment with the credential.',
};

/** Adds to stored targets what only this machine knows: file sizes, and whether credentials can be opened. */
export class TargetLoader {
  constructor(
    private readonly sizes: ModelSizes,
    private readonly vault: CredentialVault,
    private readonly unknownModelBytes: number,
  ) {}

  complete(targets: readonly StoredTarget[]): Promise<Target[]> {
    return Promise.all(
      targets.map(async (target) => {
        const revisions = target.revisions.map(async (revision): Promise<Revision> => ({
          ...revision,
          ...(await this.#memoryOf(revision)),
          fault: this.#canOpen(revision, target.account) ? null : UNREADABLE,
        }));
        return { ...target, revisions: await Promise.all(revisions) };
      }),
    );
  }

  async #memoryOf({ source, context, slots }: StoredRevision): Promise<Pick<Revision, 'bytes' | 'mapped'>> {
    if (source.kind === 'http') return { bytes: 0, mapped: 0 };
    const fileBytes = (await this.sizes.bytesOf(source)) ?? this.unknownModelBytes;
    return { bytes: memoryNeed({ fileBytes, context, slots }), mapped: fileBytes };
  }

  #canOpen({ credential }: StoredRevision, account: number): boolean {
    if (credential === null) return true;
    try {
      this.vault.open(credential, account);
      return true;
    } catch (error) {
      if (error instanceof UnreadableSecretError) return false;
      throw error;
    }
  }
}
