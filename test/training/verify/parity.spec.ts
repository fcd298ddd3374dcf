import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EmbeddedTrainer } from '../../../apps/training-worker/src/trainers/embedded/embedded-trainer.js';
import type { Trainer } from '../../../apps/training-worker/src/trainers/trainer.js';
import { called, cities, spaced, turns } from '../conversations.js';
import { sampleData } from '../sample.js';
import { LOG, TrainingStage } from '../training-stage.js';

const CACHE = fileURLToPath(new URL('../../../.cache/trainers', import.meta.url));
const INSTALL_MS = 600_000;
/** The part by which the trainer's first loss may differ from that of serving. */
const BOUND = 0.02;

let stage: TrainingStage;
let trainer: Trainer;
beforeAll(async () => {
  stage = await TrainingStage.open();
  trainer = new EmbeddedTrainer({ folder: CACHE, threads: 1, log: LOG });
  await trainer.install(new AbortController().signal);
}, INSTALL_MS);
afterAll(() => stage.close());

describe('the first loss of the embedded trainer is that of serving', () => {
  const sets: [string, () => string][] = [
    ['for plain conversations', sampleData],
    ['for conversations of several turns', () => cities.map((city) => `${JSON.stringify(turns(city))}\n`).join('')],
    ['for answers that begin with line breaks', () => cities.map((city) => `${JSON.stringify(spaced(city))}\n`).join('')],
    ['for tool calls', () => cities.map((city) => `${JSON.stringify(called(city))}\n`).join('')],
  ];
  it.each(sets)('%s', async (_, text) => {
    const dataset = join(stage.folder, `parity-${crypto.randomUUID()}.jsonl`);
    await writeFile(dataset, text());
    const { record } = await stage.run(stage.job(trainer, { dataset, settings: { epochs: 1 } }));
    const { ours, theirs } = record.data('parity') as { ours: number; theirs: number };
    expect(Math.abs(ours - theirs) / ours).toBeLessThan(BOUND);
  });
});
