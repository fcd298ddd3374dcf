import { type CredentialVault, UnreadableCredentialError } from '../deployments/credential-vault.js';
import type { Failure } from './failures.js';
import { memoryNeed } from './memory-need.js';
import type { ModelSizes } from './model-sizes.js';
import type { StoredTarget, Target } from './target.js';

const UNREADABLE: Failure = {
  reason: 'engine_refused',
  detail: 'The stored credential of this engine cannot be read with the present SLIPWAY_SECRET_KEY; make the deployment again with it.',
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
      targets.map(async (target) => ({ ...target, ...(await this.#memoryOf(target)), fault: this.#canOpen(target) ? null : UNREADABLE })),
    );
  }

  async #memoryOf({ source, context, slots }: StoredTarget): Promise<Pick<Target, 'bytes' | 'mapped'>> {
    if (source.kind === 'http') return { bytes: 0, mapped: 0 };
    const fileBytes = (await this.sizes.bytesOf(source)) ?? this.unknownModelBytes;
    return { bytes: memoryNeed({ fileBytes, context, slots }), mapped: fileBytes };
  }

  #canOpen({ credential, account }: StoredTarget): boolean {
    if (credential === null) return true;
    try {
      this.vault.open(credential, account);
      return true;
    } catch (error) {
      if (error instanceof UnreadableCredentialError) return false;
      throw error;
    }
  }
}
