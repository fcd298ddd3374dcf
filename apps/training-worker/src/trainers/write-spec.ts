import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TrainingRun } from './trainer.js';

/**
 * Writes `spec.json`, which a trainer reads at its start, into the folder of a run.
 * @param more settings of one trainer, beside those that all get
 */
export async function writeSpec({ folder, settings }: TrainingRun, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const { leastRate, checkpointSteps, ...same } = settings;
  const text = JSON.stringify({ version: 1, ...same, least_rate: leastRate, checkpoint_steps: checkpointSteps, ...more }, null, 2);
  await writeFile(join(folder, 'spec.json'), `${text}\n`);
}
