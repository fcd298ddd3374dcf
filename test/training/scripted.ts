import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ProgramTrainer } from '../../apps/training-worker/src/trainers/program-trainer.js';
import type { JobSettings } from '../../apps/training-worker/src/training/training-job.js';
import type { Trainer } from '../../apps/training-worker/src/trainers/trainer.js';
import { writeAdapter } from './an-adapter.js';
import { TrainingStage } from './training-stage.js';

const SCRIPT = fileURLToPath(new URL('scripted-trainer.mjs', import.meta.url));

/** Writes the manifest of a trainer that plays what its arguments say. @returns its path */
export async function scriptedManifest(folder: string, args: readonly string[]): Promise<string> {
  const path = join(folder, `manifest-${crypto.randomUUID()}.json`);
  const command = [process.execPath, SCRIPT, ...args];
  await writeFile(path, JSON.stringify({ name: 'scripted', version: '1', command, architectures: ['qwen3'], pause: true }));
  return path;
}

/** The loss that serving has of the first example of a job: what a trainer must report at its first step. */
export async function servedLoss(stage: TrainingStage, settings: Partial<JobSettings> = {}): Promise<string> {
  const trainer = await ProgramTrainer.read(await scriptedManifest(stage.folder, ['--first-loss', '0']));
  const { outcome } = await stage.run(stage.job(trainer, { settings }));
  if (outcome.state === 'failed' && outcome.fault.code === 'template_mismatch') return String(outcome.fault.facts['ours']);
  throw new Error(`A loss of 0 was not noticed: ${JSON.stringify(outcome)}`);
}

/** A stage with a trainer that reports the loss it must have, and makes an adapter of random weights. */
export class ScriptedStage {
  private constructor(
    readonly stage: TrainingStage,
    private readonly args: readonly string[],
  ) {}

  static async open(): Promise<ScriptedStage> {
    const stage = await TrainingStage.open();
    const adapter = join(stage.folder, 'random.gguf');
    await writeAdapter(adapter, 0.3);
    return new ScriptedStage(stage, ['--adapter', adapter, '--first-loss', await servedLoss(stage)]);
  }

  /** The trainer, with arguments that win over its own. */
  async trainer(...args: string[]): Promise<Trainer> {
    return ProgramTrainer.read(await scriptedManifest(this.stage.folder, [...this.args, ...args]));
  }
}
