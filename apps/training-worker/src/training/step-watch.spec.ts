import { describe, expect, it } from 'vitest';
import { StepWatch } from './step-watch.js';
import { checkpointSteps } from './train-adapter.js';
import type { CurvePoint, TrainingEvent, TrainingSink } from './training-job.js';

function watching({ firstLoss = null as number | null, baseLoss = 2, earlyStop = true } = {}) {
  const points: CurvePoint[] = [];
  const events: TrainingEvent[] = [];
  const sink = { point: (point: CurvePoint) => points.push(point), event: (event: TrainingEvent) => events.push(event) };
  const watch = new StepWatch({ sink: sink as unknown as TrainingSink, firstLoss, baseLoss, tokensPerStep: 10, earlyStop });
  const steps = (...losses: (number | null)[]): void => {
    for (const [i, loss] of losses.entries()) watch.step({ ev: 'step', step: i + 1, epoch: 0, loss });
  };
  const evaluations = (...losses: number[]): void => {
    for (const [i, loss] of losses.entries()) watch.evaluated({ ev: 'eval', step: i, loss });
  };
  return { watch, points, events, steps, evaluations };
}

describe('StepWatch', () => {
  it('takes a first loss within 2 % of the served one', () => {
    const { steps, events } = watching({ firstLoss: 6.37 });
    steps(6.3);
    expect(events).toMatchObject([{ code: 'parity', data: { ours: 6.37, theirs: 6.3 } }]);
  });

  it('takes a small first loss that differs by a hundredth', () => {
    expect(() => watching({ firstLoss: 0.05 }).steps(0.059)).not.toThrow();
  });

  it.each([6.2, 6.55, 0])('refuses a first loss of %d where the served one is 6.37', (loss) => {
    expect(() => watching({ firstLoss: 6.37 }).steps(loss)).toThrow(expect.objectContaining({ code: 'template_mismatch' }));
  });

  it('compares the first step only, and none of a resumed run', () => {
    expect(() => watching({ firstLoss: 6 }).steps(6, 1, 9)).not.toThrow();
    expect(() => watching({ firstLoss: null }).steps(1)).not.toThrow();
  });

  it('says that a loss which is no number has diverged', () => {
    expect(() => watching().steps(2, null)).toThrow(expect.objectContaining({ code: 'diverged', facts: { step: 2 } }));
  });

  it('says that 20 losses of three times the base have diverged', () => {
    expect(() => watching({ baseLoss: 2 }).steps(...Array.from({ length: 20 }, () => 7))).toThrow('diverged');
    expect(() => watching({ baseLoss: 2 }).steps(...Array.from({ length: 19 }, () => 7))).not.toThrow();
  });

  it('lets a base with a small loss meet hard examples', () => {
    expect(() => watching({ baseLoss: 0.01 }).steps(...Array.from({ length: 40 }, () => 1.2))).not.toThrow();
  });

  it('ends early when held-out examples get worse twice in a row', () => {
    const { watch, evaluations } = watching();
    evaluations(2, 1.5, 1.6);
    expect(watch.isWorse).toBe(false);
    evaluations(1.7);
    expect(watch.isWorse).toBe(true);
  });

  it('takes the first loss from a trainer that reports it before all steps', () => {
    const { watch, events } = watching({ firstLoss: 6.37 });
    watch.ready({ ev: 'ready', loss: 6.36 });
    watch.step({ ev: 'step', step: 1, epoch: 0.1, loss: 2 });
    expect(events).toMatchObject([{ code: 'parity', data: { ours: 6.37, theirs: 6.36 } }]);
    const other = watching({ firstLoss: 6.37 }).watch;
    expect(() => other.ready({ ev: 'ready', loss: 6.6 })).toThrow(expect.objectContaining({ code: 'template_mismatch' }));
  });

  it('does not end early where that is not wanted', () => {
    const { watch, evaluations } = watching({ earlyStop: false });
    evaluations(1, 2, 3);
    expect(watch.isWorse).toBe(false);
  });
});

describe('checkpointSteps', () => {
  it.each([
    [30, 8, 10],
    [25, 8, 25],
    [7, 8, 7],
    [1, 8, 1],
    [1_000, 2, 100],
    [30, 50, 90],
  ])('%i examples and %i epochs: a checkpoint each %i steps, one at the end of an epoch', (examples, epochs, steps) => {
    expect(checkpointSteps(examples, epochs)).toBe(steps);
    expect(Math.max(examples, steps) % Math.min(examples, steps)).toBe(0);
  });
});
