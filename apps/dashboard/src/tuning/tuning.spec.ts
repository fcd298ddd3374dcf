import type { JobView, MetricPoint } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { checkpointMarks, curveOf, LEARNING_RATE, lossOf, mergePoints } from './job-curve.js';
import { draftOf, EMPTY_JOB, faultsOf, fieldOfParam, type JobDraft, requestOf } from './job-draft.js';
import { goalChange, serves } from './job-goal.js';
import { actionsOf, formatSeconds, jobText, reasonOf, settingText } from './job-words.js';

const idOf = (name: string): number | undefined => (name === 'keep' ? 7 : undefined);
const draft = (change: Partial<JobDraft> = {}): JobDraft => ({ ...EMPTY_JOB, base: 'demo', dataset: 'support', ...change });

describe('a job in the form', () => {
  it('names nothing that the trainer shall choose', () => {
    expect(requestOf(draft(), idOf)).toEqual({ base: 'demo', dataset: 'support' });
  });

  it('carries every setting that was chosen', () => {
    const chosen = draft({
      ...{ version: 3, name: ' support-7 ', trainer: 'torch', rank: 16, alpha: 32, learningRate: ' 1e-4 ', epochs: 4, schedule: 'linear' },
      ...{ batch: 8, beta: '0,2' },
      ...{ seed: 0, heldOut: 12.5, tooLong: 'cut', earlyStop: 'off', checkHeldLoss: false, keepPoints: 0, keepDataset: 'keep' },
      ...{ deploys: true, alias: 'support', priority: -1, source: 12 },
    });
    expect(faultsOf(chosen)).toEqual({});
    expect(requestOf(chosen, idOf)).toEqual({
      ...{ base: 'demo', dataset: 'support', version: 3, name: 'support-7', trainer: 'torch', priority: -1, source_job: 12 },
      settings: {
        ...{ rank: 16, alpha: 32, learning_rate: 1e-4, epochs: 4, schedule: 'linear', seed: 0, held_out: 0.125 },
        ...{ batch: 8, beta: 0.2 },
        ...{ too_long: 'cut', early_stop: false },
      },
      gate: { held_loss: false, keep_points: 0, keep_dataset: 7 },
      follow: { deploy: { alias: 'support' } },
    });
  });

  it('takes the settings of a goal, and gives them back with another', () => {
    const facts = { ...EMPTY_JOB, ...goalChange(EMPTY_JOB, 'facts') };
    expect(facts).toEqual({ ...EMPTY_JOB, goal: 'facts', heldOut: 0 });
    const style = { ...facts, ...goalChange(facts, 'style') };
    expect(style).toEqual({ ...EMPTY_JOB, goal: 'style', heldOut: 10, earlyStop: 'on' });
    expect({ ...style, ...goalChange(style, '') }).toEqual(EMPTY_JOB);
  });

  it('keeps what was set by hand when its goal changes', () => {
    const own = { ...EMPTY_JOB, heldOut: 30 };
    expect({ ...own, ...goalChange(own, 'format') }).toEqual({ ...EMPTY_JOB, goal: 'format', heldOut: 30, tooLong: 'refuse' });
  });

  it('shows the data sets that serve its goal', () => {
    const kinds = (goal: Parameters<typeof serves>[1]): boolean[] => [serves('sft', goal), serves('preference', goal)];
    expect([kinds(''), kinds('facts'), kinds('prefer')]).toEqual([
      [true, true],
      [true, false],
      [false, true],
    ]);
  });

  it('like another one has what was given there, and nothing that was resolved', () => {
    const job = {
      ...{ id: 12, base: 'demo', dataset_name: 'support', version: 3, trainer: 'embedded', priority: 1 },
      ...{ given: { learning_rate: 0.0003, held_out: 0.1, early_stop: true, beta: 0.2 }, gate: { degenerate: false } },
      follow: { deploy: {} },
    } as unknown as JobView;
    expect(draftOf(job)).toEqual(
      draft({
        ...{ version: 3, trainer: 'embedded', source: 12, learningRate: '0.0003', heldOut: 10, earlyStop: 'on', beta: '0.2' },
        ...{ checkDegenerate: false, deploys: true, priority: 1 },
      }),
    );
  });

  it.each([
    [{ base: '' }, 'base'],
    [{ dataset: '' }, 'dataset'],
    [{ name: 'Support 7' }, 'name'],
    [{ learningRate: '0' }, 'learningRate'],
    [{ learningRate: 'fast' }, 'learningRate'],
    [{ learningRate: '2' }, 'learningRate'],
    [{ beta: '0' }, 'beta'],
    [{ beta: '11' }, 'beta'],
    [{ deploys: true, alias: 'Not One' }, 'alias'],
  ])('is not sent with %j', (change, field) => {
    expect(Object.keys(faultsOf(draft(change)))).toEqual([field]);
  });

  it('shows what a service refuses at its field', () => {
    expect([fieldOfParam('settings.rank'), fieldOfParam('follow.deploy.alias'), fieldOfParam('elsewhere'), fieldOfParam(null)]).toEqual([
      'rank',
      'alias',
      null,
      null,
    ]);
  });
});

describe('a job in words', () => {
  it.each([
    [{ state: 'queued', place: 2, progress: null }, 'Queued, 2nd in line'],
    [{ state: 'queued', place: null, progress: null }, 'Queued'],
    [{ state: 'queued', place: 11, progress: null }, 'Queued, 11th in line'],
    [{ state: 'running', place: null, progress: 0.417 }, 'Training 41 %'],
    [{ state: 'succeeded', place: null, progress: 1 }, 'Succeeded'],
  ] as const)('says %j', (job, text) => {
    expect(jobText(job)).toBe(text);
  });

  it('says why it failed, and keeps words of a later release', () => {
    expect(reasonOf({ reason: 'diverged', detail: null })?.advice).toContain('a third of the learning rate');
    expect(reasonOf({ reason: 'diverged', detail: 'Loss 9 at step 40.' })?.text).toBe('Loss 9 at step 40.');
    expect(reasonOf({ reason: 'of_next_year', detail: null })?.text).toBe('of next year');
    expect(reasonOf({ reason: null, detail: null })).toBeNull();
  });

  it.each([
    ['queued', 'run', ['pause', 'cancel', 'again']],
    ['running', 'pause', ['resume', 'cancel', 'again']],
    ['paused', 'pause', ['resume', 'cancel', 'again']],
    ['finishing', 'run', ['cancel', 'again']],
    ['running', 'cancel', ['again']],
    ['failed', 'run', ['again']],
  ] as const)('%s while it shall %s takes what helps', (state, desired, actions) => {
    expect(actionsOf({ state, desired })).toEqual(actions);
  });

  it('writes settings and times as people do', () => {
    expect([settingText('learning_rate', 0.0001), settingText('held_out', 0.125), settingText('early_stop', true)]).toEqual([
      '1e-4',
      '12.5 %',
      'On',
    ]);
    expect([formatSeconds(14.4), formatSeconds(200), formatSeconds(18_360)]).toEqual(['14 s', '3.3 min', '5.1 h']);
  });
});

describe('the curve of a job', () => {
  const point = (step: number, change: Partial<MetricPoint> = {}): MetricPoint => ({
    ...{ step, at: '2026-11-25T12:00:00Z', epoch: null, loss: step, held_loss: null, accuracy: null, lr: 1e-4, tokens_per_s: null },
    ...change,
  });

  it('replaces steps that were trained again', () => {
    const merged = mergePoints([point(1), point(2), point(3)], [point(2, { loss: 9 }), point(4)]);
    expect(merged.map(({ step, loss }) => [step, loss])).toEqual([
      [1, 1],
      [2, 9],
      [3, 3],
      [4, 4],
    ]);
    const known = [point(1)];
    expect(mergePoints(known, [])).toBe(known);
  });

  it('joins held-out losses over the steps between them', () => {
    const { at, losses, rate } = curveOf([point(1), point(2, { held_loss: 1.5 }), point(3)]);
    expect(at).toEqual([1, 2, 3]);
    expect(losses.map(({ label, values }) => [label, values])).toEqual([
      ['Each step', [1, 2, 3]],
      ['Training loss', [1, 2, 3]],
      ['Held-out loss', [null, 1.5, null]],
    ]);
    expect(losses.every(({ joins }) => joins)).toBe(true);
    expect(LEARNING_RATE.format(rate[0]?.values[0] ?? 0)).toBe('1.00e-4');
  });

  it('shows the mean of the last steps as the training loss', () => {
    const points = Array.from({ length: 40 }, (_, i) => point(i + 1, { loss: i % 2 === 0 ? 2 : 0 }));
    const curve = curveOf(points);
    expect(lossOf(curve)).toBe(1);
    expect(lossOf(curveOf([]))).toBeNull();
  });

  it('has no line for what was never measured', () => {
    const { losses, rate, margin } = curveOf([point(1, { lr: null })]);
    expect([losses.map(({ label }) => label), rate, margin]).toEqual([['Each step', 'Training loss'], [], []]);
  });

  it('draws the margin of preferences', () => {
    const { margin } = curveOf([point(1, { margin: 0 }), point(2, { margin: 0.5 })]);
    expect(margin.map(({ label, values }) => [label, values])).toEqual([['Margin', [0, 0.5]]]);
  });

  it('marks its checkpoints, the best one by name', () => {
    const checkpoint = { attempt: 1, bytes: 1, degenerate: 0, at: '2026-11-25T12:00:00Z' };
    expect(
      checkpointMarks([
        { ...checkpoint, step: 30, best: false, held_loss: null },
        { ...checkpoint, step: 60, best: true, held_loss: 1.28 },
      ]).map(({ at, label }) => [at, label]),
    ).toEqual([
      [30, 'Checkpoint'],
      [60, 'Best checkpoint, held-out loss 1.280'],
    ]);
  });
});
