import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Trainer } from '../../../apps/training-worker/src/trainers/trainer.js';
import { StopTraining } from '../../../apps/training-worker/src/training/training-job.js';
import { distanceFrom } from '../../../apps/training-worker/src/training/witness.js';
import { writeAdapter } from '../an-adapter.js';
import { ScriptedStage, servedLoss } from '../scripted.js';
import { adapterOf, openDemo, type TrainingStage } from '../training-stage.js';

let stage: TrainingStage;
let scripted: (...args: string[]) => Promise<Trainer>;

/** A trainer with some of its parts replaced. */
const like = (trainer: Trainer, parts: Partial<Trainer>): Trainer => ({
  name: trainer.name,
  takesWeights: trainer.takesWeights,
  probe: () => trainer.probe(),
  install: (signal) => trainer.install(signal),
  start: (run, sink) => trainer.start(run, sink),
  ...parts,
});

beforeAll(async () => {
  const opened = await ScriptedStage.open();
  stage = opened.stage;
  scripted = (...args) => opened.trainer(...args);
});
afterAll(() => stage.close());

describe('runTraining', () => {
  it('makes an adapter with witness, verdict and both forms', async () => {
    const settings = { epochs: 1, heldOut: 0.2 };
    const loss = await servedLoss(stage, settings);
    const trainer = await scripted('--first-loss', loss);
    const { outcome, record } = await stage.run(stage.job(trainer, { keepSet: stage.keepSet, settings }));
    const made = adapterOf(outcome);
    expect(made).toMatchObject({ rank: 8, alpha: 16, modules: ['attn_output', 'attn_q', 'ffn_down', 'ffn_up'] });
    expect(record.states).toEqual(['starting', 'running', 'finishing', 'evaluating']);
    expect(record.codes()).toEqual(expect.arrayContaining(['prepared', 'parity', 'checkpoint', 'best', 'witnessed']));
    expect(record.data('prepared')).toMatchObject({ examples: 22, held: 8 });
    const { witness, verdict, pairs } = made;
    expect(verdict.checks.map(({ check }) => check)).toEqual(['no_effect', 'held_loss', 'degenerate', 'keep_set']);
    expect(pairs).toHaveLength(28);
    const scorer = await openDemo();
    const scoring = await scorer.scoring(made.gguf, 512);
    expect(await distanceFrom(witness, scoring)).toBeLessThan(0.0001);
    await scoring.dispose();
    await scorer.dispose();
  });

  it('is cancelled before it has begun', async () => {
    const { outcome } = await stage.run(stage.job(await scripted()), (_, stop) => stop.abort(new StopTraining('cancel')));
    expect(outcome).toEqual({ state: 'cancelled', adapter: null });
  });

  it('does not begin with less memory than its trainer takes', async () => {
    const { outcome, record } = await stage.run(stage.job(await scripted(), { memory: 2 ** 20 }));
    expect(outcome).toMatchObject({
      state: 'failed',
      fault: { code: 'out_of_memory', message: expect.stringMatching(/about 0\.\d\d GiB .* 0\.00 GiB/) },
    });
    expect(record.points).toEqual([]);
  });

  it('does not begin on another base than that of the job', async () => {
    const job = stage.job(await scripted());
    const { outcome } = await stage.run({ ...job, base: { ...job.base, sha256: 'f'.repeat(64) } });
    expect(outcome).toMatchObject({ state: 'failed', fault: { code: 'base_changed' } });
  });

  it('does not begin on an architecture that the trainer does not know', async () => {
    const trainer = await scripted();
    const limited = like(trainer, { probe: async () => ({ ...(await trainer.probe()), architectures: ['gemma3'] }) });
    const { outcome } = await stage.run(stage.job(limited));
    expect(outcome).toMatchObject({ state: 'failed', fault: { code: 'base_not_trainable' } });
  });

  it('names why nothing of a data set can be learned', async () => {
    const dataset = join(stage.folder, 'forged.jsonl');
    const messages = [
      { role: 'user', content: 'Hi <|im_end|> there' },
      { role: 'assistant', content: 'x' },
    ];
    await writeFile(dataset, `${JSON.stringify({ messages })}\n`);
    const { outcome } = await stage.run(stage.job(await scripted(), { dataset }));
    expect(outcome).toMatchObject({ state: 'failed', fault: { code: 'dataset_invalid', facts: { control_token: 1 } } });
  });

  it('refuses weights of 0 where the trainer learns every answer', async () => {
    const dataset = join(stage.folder, 'weights.jsonl');
    const messages = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b', weight: 0 },
      { role: 'user', content: 'c' },
      { role: 'assistant', content: 'd' },
    ];
    await writeFile(dataset, `${JSON.stringify({ messages })}\n`);
    const whole = like(await scripted(), { takesWeights: false });
    const { outcome } = await stage.run(stage.job(whole, { dataset }));
    expect(outcome).toMatchObject({ state: 'failed', fault: { code: 'weights_need_torch' } });
  });

  it('shows what the base and each checkpoint answer', async () => {
    const { record } = await stage.run(stage.job(await scripted(), { settings: { epochs: 1 } }));
    const steps = [...new Set(record.shown.map(({ step }) => step))];
    expect(steps[0]).toBe(0);
    expect(steps.length).toBeGreaterThan(1);
    expect(record.shown.filter(({ step }) => step === 0)).toHaveLength(3);
  });

  it('continues from a stored checkpoint', async () => {
    const first = await stage.run(stage.job(await scripted('--step-ms', '20')), (record, stop) => {
      record.onStep = (step) => step === 25 && stop.abort(new StopTraining('pause'));
    });
    expect(first.outcome).toEqual({ state: 'paused' });
    const resume = first.record.stored.at(-1)!;
    const second = await stage.run(stage.job(await scripted(), { resume }));
    adapterOf(second.outcome);
    expect(second.record.points.find(({ loss }) => loss !== null)?.step).toBe(resume.step + 1);
  });

  it.each([
    ['crash', 'trainer_crashed'],
    ['nan', 'diverged'],
    ['oom', 'out_of_memory'],
    ['refuse', 'trainer_failed'],
  ])('ends with the fault of a trainer that plays %s', async (scene, code) => {
    const { outcome } = await stage.run(stage.job(await scripted('--scene', scene), { settings: { epochs: 1 } }));
    expect(outcome).toMatchObject({ state: 'failed', fault: { code } });
  });

  it('says that an adapter without effect learned nothing', async () => {
    const idle = join(stage.folder, 'idle.gguf');
    await writeAdapter(idle, 0);
    const { outcome } = await stage.run(stage.job(await scripted('--adapter', idle), { settings: { epochs: 1 } }));
    expect(outcome).toMatchObject({ state: 'failed', fault: { code: 'no_effect' } });
  });

  it('ends when its time is over', async () => {
    const { outcome } = await stage.run(stage.job(await scripted('--scene', 'hang'), { settings: { epochs: 1, timeLimitS: 1 } }));
    expect(outcome).toMatchObject({ state: 'failed', fault: { code: 'time_limit' } });
  });
});
