import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { TorchTrainer, type TorchTrainerOptions } from '../../apps/training-worker/src/trainers/torch/torch-trainer.js';

/** Where `npx slipway trainers install torch --trainers-dir .cache/trainers` puts it. */
const CACHE = fileURLToPath(new URL('../../.cache/trainers', import.meta.url));

const { TORCH_PYTHON: GIVEN, SLIPWAY_TORCH: WANTED } = process.env;

const installed = existsSync(CACHE)
  ? readdirSync(CACHE).find((name) => /^torch-[0-9a-f]{16}$/.test(name) && existsSync(join(CACHE, name, 'bin/python')))
  : undefined;

/** The Python that tests train with; undefined = there is none. */
export const TORCH_PYTHON = GIVEN ?? (installed === undefined ? undefined : join(CACHE, installed, 'bin/python'));

const HOW =
  'the Python packages of the torch trainer are not installed. `npx slipway trainers install torch --trainers-dir .cache/trainers` installs them (5.8 GB), or TORCH_PYTHON names a Python that has them.';

/** Why tests of the torch trainer cannot run here; null where they can. @throws Error with SLIPWAY_TORCH=1, where they must run */
export function torchMissing(): string | null {
  if (TORCH_PYTHON !== undefined) return null;
  if (WANTED === '1') throw new Error(`SLIPWAY_TORCH=1, but ${HOW}`);
  process.stderr.write(`Skipped: ${HOW}\n`);
  return HOW;
}

/** Where tests run as root, and that user reaches the files, as in compose. */
const TRAINER_UID = 61_750;

/** The trainer on this machine. @param folder of bases that it converts */
export const torchTrainer = (folder: string, more: Partial<TorchTrainerOptions> = {}): TorchTrainer =>
  new TorchTrainer({ folder, threads: 1, python: TORCH_PYTHON, ...more }, TRAINER_UID);
