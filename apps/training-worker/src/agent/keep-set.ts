import { stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { keepSet } from '@slipway/datasets';
import { FileHashes } from '@slipway/model-store';

const BUNDLED = fileURLToPath(new URL('../../../../models/svc-tiny.Q8_0.gguf', import.meta.url));
/** Percentage points that the bundled model, which has two million weights, may lose. */
const BUNDLED_POINTS = 7;

/** Conversations that a training must not change, and how many of 100 it may. */
export interface KeepSet {
  /** Canonical JSONL. */
  readonly text: string;
  readonly points: number;
}

/** The keep set that comes with a base; null for every base but the bundled one. */
export async function keepSetOf(baseSha256: string, hashFolder: string): Promise<KeepSet | null> {
  const isHere = await stat(BUNDLED).then(
    () => true,
    () => false,
  );
  const isBundled = isHere && (await new FileHashes(hashFolder).of(BUNDLED)).sha256 === baseSha256;
  return isBundled ? { text: keepSet(), points: BUNDLED_POINTS } : null;
}
