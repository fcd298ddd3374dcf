import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { allSteps, TrainingFleet } from '../training-fleet.js';

const STEPS = 240;
/** Longer than the time after which a silent worker is lost. */
const FROZEN_MS = 60_000;

let postgres: TestPostgres;
let fleet: TrainingFleet;

beforeAll(async () => {
  postgres = await startTestPostgres();
  fleet = await TrainingFleet.open(postgres);
});
afterAll(async () => {
  await fleet?.close();
  await postgres.stop();
});

describe('a worker that is killed', () => {
  it.each([
    ['after a tenth of its steps', (step: number) => step >= STEPS * 0.1],
    ['in the middle', (step: number) => step >= STEPS * 0.5],
    ['at its last steps', (step: number) => step >= STEPS * 0.99],
    ['while it makes the adapter', (_: number, state: string) => state === 'finishing' || state === 'evaluating'],
  ])('%s leaves one result to another worker', async (_, isTime) => {
    const killed = await fleet.startWorker(['--step-ms', '30']);
    const { account, job } = await fleet.job();
    await fleet.seen(account, job, 'is where its worker shall die', ({ step, state }) => isTime(step, state));
    await killed.process.stop('SIGKILL');
    expect(fleet.childrenOf(killed)).toEqual([]);
    const second = await fleet.startWorker();
    const resumed = await fleet.seen(account, job, 'runs again', ({ attempt, state }) => attempt === 2 && state !== 'starting');
    expect(resumed.step).toBeGreaterThan(0);
    expect(await fleet.isIn(account, job, 'succeeded')).toMatchObject({ attempt: 2, progress: 1 });
    expect(await fleet.steps(account, job)).toEqual(allSteps(STEPS));
    expect(await fleet.adapters(account)).toHaveLength(1);
    expect((await fleet.events(account, job)).filter((code) => code === 'worker_lost')).toHaveLength(1);
    await second.process.stop();
  });
});

describe('an agent that stands still while its trainer goes on', () => {
  it('is fenced, and stores nothing a second time', async () => {
    const frozen = await fleet.startWorker(['--step-ms', '60']);
    const { account, job } = await fleet.job();
    await fleet.seen(account, job, 'has some steps', ({ step }) => step >= 40);
    const children = fleet.childrenOf(frozen);
    fleet.freezeAgent(frozen);
    const second = await fleet.startWorker(['--step-ms', '30']);
    const resumed = await fleet.seen(account, job, 'runs elsewhere', ({ attempt, state }) => attempt === 2 && state === 'running');
    expect(resumed.step).toBeGreaterThan(0);
    // The first trainer ends, and its agent finds the whole result when it wakes.
    await fleet.isIn(account, job, 'succeeded');
    expect(children.length).toBeGreaterThan(0);
    fleet.thaw(frozen);
    await until('the woken agent has ended its job', () => fleet.childrenOf(frozen).length === 0);
    expect(await fleet.isIn(account, job, 'succeeded')).toMatchObject({ attempt: 2 });
    expect(await fleet.steps(account, job)).toEqual(allSteps(STEPS));
    expect(await fleet.adapters(account)).toHaveLength(1);
    expect((await fleet.events(account, job)).filter((code) => code === 'witnessed')).toHaveLength(1);
    await Promise.all([frozen, second].map(({ process: worker }) => worker.stop()));
  });
});

describe('a worker that stands still for a minute', () => {
  it('changes nothing when it wakes, and ends its job', async () => {
    const frozen = await fleet.startWorker(['--step-ms', '30']);
    const { account, job } = await fleet.job();
    await fleet.seen(account, job, 'has some steps', ({ step }) => step >= 40);
    fleet.freeze(frozen);
    const since = performance.now();
    const second = await fleet.startWorker(['--step-ms', '300']);
    await fleet.seen(account, job, 'runs elsewhere', ({ attempt, state }) => attempt === 2 && state === 'running');
    await until('a minute has passed', () => performance.now() - since > FROZEN_MS, 2 * FROZEN_MS);
    expect((await fleet.stage.view(account, job)).state).toBe('running');
    fleet.thaw(frozen);
    await until('the woken worker has ended its job', () => fleet.childrenOf(frozen).length === 0);
    expect(await fleet.isIn(account, job, 'succeeded')).toMatchObject({ attempt: 2 });
    expect(await fleet.steps(account, job)).toEqual(allSteps(STEPS));
    expect(await fleet.adapters(account)).toHaveLength(1);
    await Promise.all([frozen, second].map(({ process: worker }) => worker.stop()));
  });
});
