import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Trainer } from '../../../apps/training-worker/src/trainers/trainer.js';
import { StopTraining } from '../../../apps/training-worker/src/training/training-job.js';
import { writeAdapter } from '../an-adapter.js';
import { ScriptedStage } from '../scripted.js';
import { adapterOf, type TrainingStage } from '../training-stage.js';

let stage: TrainingStage;
let scripted: (...args: string[]) => Promise<Trainer>;

beforeAll(async () => {
  const opened = await ScriptedStage.open();
  stage = opened.stage;
  scripted = (...args) => opened.trainer(...args);
});
afterAll(() => stage.close());

describe('runTraining', () => {
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
