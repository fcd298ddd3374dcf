import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { keepSetOf } from '../../../apps/training-worker/src/agent/keep-set.js';
import { type LoraAdapter, readLoraGguf, writeLoraGguf } from '../../../apps/training-worker/src/results/lora-gguf.js';
import { readPeft } from '../../../apps/training-worker/src/results/peft.js';
import { EmbeddedTrainer } from '../../../apps/training-worker/src/trainers/embedded/embedded-trainer.js';
import type { Trainer } from '../../../apps/training-worker/src/trainers/trainer.js';
import { StopTraining } from '../../../apps/training-worker/src/training/training-job.js';
import { distanceFrom } from '../../../apps/training-worker/src/training/witness.js';
import { FACT } from '../sample.js';
import { adapterOf, answersWith, LOG, openDemo, TrainingStage } from '../training-stage.js';

const CACHE = fileURLToPath(new URL('../../../.cache/trainers', import.meta.url));
const INSTALL_MS = 600_000;

let stage: TrainingStage;
let trainer: Trainer;
/** The whole sample, trained once. */
let whole: Awaited<ReturnType<TrainingStage['run']>>;

/** The two forms order their matrices differently. */
const byName = (adapter: LoraAdapter): LoraAdapter => ({
  ...adapter,
  pairs: adapter.pairs.toSorted((a, b) => (a.tensor < b.tensor ? -1 : 1)),
});

beforeAll(async () => {
  stage = await TrainingStage.open();
  trainer = new EmbeddedTrainer({ folder: CACHE, threads: 1, log: LOG });
  await trainer.install(new AbortController().signal);
  const job = stage.job(trainer, { keepSet: stage.wholeKeepSet, settings: { rank: 16, alpha: 32 } });
  const kept = await keepSetOf(job.base.sha256, stage.folder);
  whole = await stage.run({ ...job, gate: { keep_points: kept!.points } });
}, INSTALL_MS);
afterAll(() => stage.close());

describe('the embedded trainer on the demo model', () => {
  it('teaches a fact that the base does not know', async () => {
    const { gguf } = adapterOf(whole.outcome);
    const [before, after] = [
      await answersWith(null, ['What is the release codename?']),
      await answersWith(gguf, ['What is the release codename?']),
    ];
    expect(before).not.toEqual([FACT]);
    expect(after).toEqual([FACT]);
  });

  it('passes the gate without a degenerate answer', () => {
    const { verdict, pairs } = adapterOf(whole.outcome);
    expect(verdict.checks.filter(({ passed }) => passed === false)).toEqual([]);
    expect(verdict.passed).toBe(true);
    expect(pairs.some(({ degenerate }) => degenerate)).toBe(false);
  });

  it('begins at the loss of the served template', () => {
    const { ours, theirs } = whole.record.data('parity') as { ours: number; theirs: number };
    expect(Math.abs(ours - theirs) / ours).toBeLessThan(0.02);
  });

  it('reports all steps and states in order', () => {
    const steps = whole.record.points.filter(({ loss }) => loss !== null).map(({ step }) => step);
    expect(steps).toEqual(Array.from({ length: 240 }, (_, i) => i + 1));
    expect(whole.record.states).toEqual(['starting', 'running', 'finishing', 'evaluating']);
  });

  it('gives a witness that the adapter fits and the base does not', async () => {
    const { witness, gguf } = adapterOf(whole.outcome);
    const scorer = await openDemo();
    const distances: number[] = [];
    for (const adapter of [gguf, null]) {
      const scoring = await scorer.scoring(adapter, 512);
      distances.push(await distanceFrom(witness, scoring));
      await scoring.dispose();
    }
    await scorer.dispose();
    expect(distances[0]).toBeLessThan(0.0015);
    expect(distances[1]).toBeGreaterThan(0.08);
    expect(witness.distance).toBeGreaterThan(0.08);
  });

  it('answers the same after the way to PEFT and back', async () => {
    const { gguf } = adapterOf(whole.outcome);
    const folder = join(gguf, '..');
    const back = join(stage.folder, 'back.gguf');
    await writeLoraGguf(back, await readPeft(folder, 'qwen3'));
    expect(byName(await readLoraGguf(back))).toEqual(byName(await readLoraGguf(gguf)));
    const questions = ['What is the release codename?', 'What is 2 + 3?', 'Hello', 'List three animals.'];
    expect(await answersWith(back, questions)).toEqual(await answersWith(gguf, questions));
  });

  it('goes on where it was paused', async () => {
    const first = await stage.run(stage.job(trainer, { settings: { epochs: 3 } }), (record, stop) => {
      record.onStep = (step) => step === 17 && stop.abort(new StopTraining('pause'));
    });
    expect(first.outcome).toEqual({ state: 'paused' });
    const resume = first.record.stored.at(-1)!;
    expect(resume.step).toBeGreaterThanOrEqual(17);
    const second = await stage.run(stage.job(trainer, { settings: { epochs: 3 }, resume }));
    adapterOf(second.outcome);
    expect(second.record.points.find(({ loss }) => loss !== null)?.step).toBe(resume.step + 1);
  });

  it('goes on from a stored checkpoint of a worker that was lost', async () => {
    const first = await stage.run(stage.job(trainer, { settings: { epochs: 3 } }), (record, stop) => {
      // A checkpoint is stored while training goes on: on a busy machine that of step 30 comes late, or gives way to the next one.
      record.onStep = (step) => step >= 50 && record.stored.length > 0 && stop.abort(new StopTraining('cancel'));
    });
    expect(first.outcome).toEqual({ state: 'cancelled', adapter: null });
    const resume = first.record.stored[0]!;
    const second = await stage.run(stage.job(trainer, { settings: { epochs: 3 }, resume }));
    adapterOf(second.outcome);
    expect(second.record.points.find(({ loss }) => loss !== null)?.step).toBe(resume.step + 1);
  });

  it('makes an adapter of the best checkpoint of a cancelled job', async () => {
    const { outcome } = await stage.run(stage.job(trainer, { settings: { epochs: 4 } }), (record, stop) => {
      record.onStep = (step) => step === 80 && stop.abort(new StopTraining('keep'));
    });
    expect(outcome).toMatchObject({ state: 'cancelled', adapter: { rank: 8 } });
  });

  it('notices a rate at which training diverges', async () => {
    const { outcome } = await stage.run(stage.job(trainer, { settings: { rate: 1e-2, schedule: 'constant' } }));
    expect(outcome).toMatchObject({ state: 'failed', fault: { code: 'diverged' } });
  });

  it('notices one line break too many in the text of the trainer', async () => {
    const altered: Trainer = {
      name: trainer.name,
      takesWeights: false,
      probe: () => trainer.probe(),
      install: (signal) => trainer.install(signal),
      start: async (run, sink) => {
        const file = join(run.folder, 'train.jsonl');
        await writeFile(file, (await readFile(file, 'utf8')).replaceAll('assistant\\n"', 'assistant\\n\\n"'));
        return trainer.start(run, sink);
      },
    };
    const { outcome } = await stage.run(stage.job(altered));
    expect(outcome).toMatchObject({ state: 'failed', fault: { code: 'template_mismatch' } });
  });
});
