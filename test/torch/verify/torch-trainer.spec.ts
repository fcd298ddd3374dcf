import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Trainer } from '../../../apps/training-worker/src/trainers/trainer.js';
import { StopTraining } from '../../../apps/training-worker/src/training/training-job.js';
import { FACT, sampleData } from '../../training/sample.js';
import { adapterOf, answersWith, TrainingStage } from '../../training/training-stage.js';
import { torchMissing, torchTrainer } from '../torch-stage.js';

/** The tiny model learns nothing at the rates of models that are used. */
const SETTINGS = { rate: 1e-3, epochs: 8, rank: 8, alpha: 16 };

describe.skipIf(torchMissing() !== null)('the torch trainer on the demo model', { timeout: 900_000 }, () => {
  let stage: TrainingStage;
  let trainer: Trainer;
  /** The whole sample, trained once. */
  let whole: Awaited<ReturnType<TrainingStage['run']>>;
  beforeAll(async () => {
    stage = await TrainingStage.open();
    trainer = torchTrainer(stage.folder);
    whole = await stage.run(stage.job(trainer, { keepSet: stage.wholeKeepSet, settings: SETTINGS }));
  }, 900_000);
  afterAll(() => stage.close());

  it('teaches a fact that the base does not know', async () => {
    const { gguf } = adapterOf(whole.outcome);
    expect(await answersWith(null, ['What is the release codename?'])).not.toEqual([FACT]);
    expect(await answersWith(gguf, ['What is the release codename?'])).toEqual([FACT]);
  });

  it('reports all steps and states in order', () => {
    const steps = whole.record.points.filter(({ loss }) => loss !== null).map(({ step }) => step);
    expect(steps).toEqual(Array.from({ length: 240 }, (_, i) => i + 1));
    expect(whole.record.states).toEqual(['starting', 'running', 'finishing', 'evaluating']);
  });

  it('begins at the loss of the served template', () => {
    const { ours, theirs } = whole.record.data('parity') as { ours: number; theirs: number };
    expect(Math.abs(ours - theirs) / ours).toBeLessThan(0.02);
  });

  it('goes on at the next step, and ends as without a pause', async () => {
    const dataset = join(stage.folder, 'few.jsonl');
    await writeFile(dataset, sampleData().split('\n').slice(0, 10).join('\n'));
    // Within the memory that the plan of such a job names.
    const few = { dataset, memory: 1.4 * 2 ** 30, settings: { ...SETTINGS, epochs: 2 } };
    const straight = await stage.run(stage.job(trainer, few));
    const first = await stage.run(stage.job(trainer, few), (record, stop) => {
      record.onStep = (step) => step === 7 && stop.abort(new StopTraining('pause'));
    });
    expect(first.outcome).toEqual({ state: 'paused' });
    const resume = first.record.stored.at(-1)!;
    const second = await stage.run(stage.job(trainer, { ...few, resume }));
    adapterOf(second.outcome);
    const losses = (points: readonly { step: number; loss: number | null }[]): [number, number | null][] =>
      points.filter(({ step, loss }) => loss !== null && step > resume.step).map(({ step, loss }) => [step, loss]);
    expect(losses(second.record.points)[0]?.[0]).toBe(resume.step + 1);
    expect(losses(second.record.points)).toEqual(losses(straight.record.points));
  });
});
