import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ReadJobEvents, ReadMetrics } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readJournal } from '../../../apps/training-worker/src/agent/report-journal.js';
import { until } from '../../testing/until.js';
import { allSteps, TrainingFleet } from '../training-fleet.js';

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

it('a worker that dies while its service is away loses no report', async () => {
  const killed = await fleet.startWorker(['--step-ms', '60']);
  const { account, job } = await fleet.job();
  await fleet.seen(account, job, 'has some steps', ({ step }) => step >= 40);
  await fleet.service.stop('SIGKILL');
  const journal = join(killed.folder, `reports/${job}-1.jsonl`);
  const left = () => readJournal(journal) ?? [];
  const stepsIn = (): number[] => left().flatMap(({ metrics = [] }) => metrics.map(({ step }) => step));
  await until('it has more to report', () => stepsIn().length > 30, 60_000);
  await killed.process.stop('SIGKILL');
  const reports = left();
  const [steps, events] = [stepsIn(), reports.flatMap(({ events: some = [] }) => some)];
  const second = await fleet.restartWorker(killed);
  await fleet.restartService();
  // Before the job is placed again, so that no repeated step can stand for one that was lost.
  await until('all of it is reported', () => !existsSync(journal), 60_000);
  const curve = (await fleet.rig.ask(ReadMetrics, { account, job })).points.map(({ step }) => step);
  expect(curve).toEqual(expect.arrayContaining(steps));
  expect(await fleet.isIn(account, job, 'succeeded')).toMatchObject({ attempt: 2 });
  expect(await fleet.steps(account, job)).toEqual(allSteps(240));
  const stored = (await fleet.rig.ask(ReadJobEvents, { account, job })).events;
  for (const { at, code } of events) expect(stored.filter((event) => event.at === at && event.code === code)).toHaveLength(1);
  expect(await fleet.adapters(account)).toHaveLength(1);
  await second.process.stop();
  expect(readdirSync(join(killed.folder, 'reports'))).toEqual([]);
});
