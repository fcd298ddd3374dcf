import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  AddSample,
  CancelJob,
  CreateJob,
  type DatasetId,
  FindJob,
  type JobId,
  type JobView,
  PauseJob,
  ReadIssues,
  ReadMetrics,
  ResumeJob,
} from '@slipway/contracts';
import type { AppProcess } from './processes/app-process.js';
import { CleanUp } from './processes/clean-up.js';
import { cpuSeconds, proportionalBytes, residentBytes } from './processes/process-figures.js';
import { TuningFleet } from './tuning-fleet.js';
import { waitUntil } from './processes/wait-until.js';

const MIB = 2 ** 20;
/** As browsers send them. */
const CHUNK_BYTES = 16 * MIB;
const UPLOAD_BYTES = 512 * MIB;
const SETTLE_MS = 15_000;
const WITHIN_MS = 300_000;

/** What the first stage, scripts/bench.mjs, prepared. */
export interface TuningBenchStage {
  readonly root: string;
  readonly path: string | undefined;
  /** Folder of installed trainers. */
  readonly trainers: string;
}

const print = (what: string, figure: string, target = ''): void =>
  void process.stdout.write(`${what.padEnd(62)}${figure.padStart(18)}${target.padStart(14)}\n`);
const seconds = (since: number): string => `${((performance.now() - since) / 1_000).toFixed(1)} s`;

/** The most memory of a process during some work, above what it had before it. */
async function addedMemory(pid: number, work: () => Promise<void>): Promise<number> {
  const before = residentBytes(pid);
  let most = before;
  const watch = setInterval(() => (most = Math.max(most, residentBytes(pid))), 50);
  try {
    await work();
  } finally {
    clearInterval(watch);
  }
  return most - before;
}

const line = (text: string): string =>
  `${JSON.stringify({
    messages: [
      { role: 'user', content: text },
      { role: 'assistant', content: text },
    ],
  })}\n`;

/** Sends a file in chunks by tus. */
async function send(url: string, chunk: Buffer, bytes: number): Promise<void> {
  for (let offset = 0; offset < bytes; offset += chunk.length) {
    const headers = { 'tus-resumable': '1.0.0', 'upload-offset': String(offset), 'content-type': 'application/offset+octet-stream' };
    const { status } = await fetch(url, { method: 'PATCH', headers, body: new Uint8Array(chunk) });
    if (status !== 204) throw new Error(`A chunk was answered with ${status}.`);
  }
}

async function benchUploads(fleet: TuningFleet): Promise<void> {
  await delay(SETTLE_MS);
  const idle = proportionalBytes(fleet.service.pid) / MIB;
  print('tuning-service at rest', `${idle.toFixed(0)} MiB`, '100 MB');
  const chunk = Buffer.from(
    Array.from({ length: CHUNK_BYTES / 256 }, () => line(randomBytes(44).toString('hex')).padEnd(256)).join(''),
    'latin1',
  );
  const dataset = await fleet.createDataset('uploads');
  const { pid } = fleet.service;
  // The first upload loads what uploads need.
  await send(await fleet.openUpload(dataset, 3 * CHUNK_BYTES), chunk.subarray(0, CHUNK_BYTES), 2 * CHUNK_BYTES);
  const url = await fleet.openUpload(dataset, UPLOAD_BYTES + CHUNK_BYTES);
  let since = performance.now();
  const cpu = cpuSeconds(pid);
  const added = await addedMemory(pid, () => send(url, chunk.subarray(0, CHUNK_BYTES), UPLOAD_BYTES));
  const paceOf = (taken: number): string => (UPLOAD_BYTES / MIB / taken).toFixed(0);
  print(`an upload of ${UPLOAD_BYTES / MIB} MiB in chunks, sealed`, `${paceOf((performance.now() - since) / 1_000)} MiB/s`, '60 MB/s');
  print('the same for a second of processor time of tuning-service', `${paceOf(cpuSeconds(pid) - cpu)} MiB`);
  print('what it adds to the memory of tuning-service', `${(added / MIB).toFixed(0)} MiB`, '40 MB');
  const broken = await fleet.createDataset('problems');
  const text = Buffer.from(`{"messages": []}\n${line('x'.repeat(200)).repeat(200_000)}`);
  const target = await fleet.openUpload(broken, text.length);
  since = performance.now();
  const { status } = await fetch(target, { method: 'PUT', body: new Uint8Array(text) });
  if (status !== 201) throw new Error(`The upload was answered with ${status}.`);
  since = performance.now();
  await waitUntil('the first problem', WITHIN_MS, async () => {
    const { issues } = await fleet.ask(ReadIssues, { dataset: broken, version: 1 });
    return issues[0] ?? null;
  });
  print(`first problem of a file of ${(text.length / MIB).toFixed(0)} MiB`, seconds(since), '1 s');
  await fleet.checked(broken, 1);
}

/** Makes a job on the sample and waits until it has some steps. */
async function startJob(fleet: TuningFleet, dataset: DatasetId): Promise<JobId> {
  const settings = { epochs: 60, early_stop: false };
  const job = await waitUntil('the base is known', WITHIN_MS, () =>
    fleet.ask(CreateJob, { dataset, base: 'svc-tiny.q8_0', trainer: 'embedded', settings }).then(
      (reply) => reply.job,
      () => null,
    ),
  );
  await seen(fleet, job, ({ step }) => step >= 120);
  return job;
}

const seen = (fleet: TuningFleet, job: JobId, isSeen: (view: JobView) => boolean): Promise<JobView> =>
  waitUntil(`job ${job} is as wanted`, WITHIN_MS, async () => {
    const { job: view } = await fleet.ask(FindJob, { job });
    if (view.state === 'failed') throw new Error(`Job ${job} failed: ${view.reason}, ${view.detail}`);
    return isSeen(view) ? view : null;
  });

async function benchJobs(fleet: TuningFleet, trainers: string): Promise<void> {
  const dataset = await fleet.createDataset('sample');
  await fleet.ask(AddSample, { dataset });
  await fleet.checked(dataset, 1);
  const worker = await fleet.startWorker(trainers);
  const paused = await startJob(fleet, dataset);
  print('age of the newest step when it is read', await ageOfSteps(fleet, paused), '2 s');
  await timePause(fleet, paused);
  await timeCancel(fleet, dataset);
  await timeLoss(fleet, { dataset, worker, trainers });
}

/** The most of some looks at a running job. */
async function ageOfSteps(fleet: TuningFleet, job: JobId): Promise<string> {
  let most = 0;
  for (let look = 0; look < 20; look += 1) {
    const { points } = await fleet.ask(ReadMetrics, { job });
    const newest = Math.max(...points.filter(({ loss }) => loss !== null).map(({ at }) => Date.parse(at)));
    most = Math.max(most, Date.now() - newest);
    await delay(250);
  }
  return `${(most / 1_000).toFixed(1)} s`;
}

async function timePause(fleet: TuningFleet, job: JobId): Promise<void> {
  let since = performance.now();
  await fleet.ask(PauseJob, { job });
  await seen(fleet, job, ({ state }) => state === 'paused');
  print('pause', seconds(since), '3 s');
  since = performance.now();
  await fleet.ask(ResumeJob, { job });
  const { step } = await seen(fleet, job, ({ state }) => state !== 'paused');
  await seen(fleet, job, (view) => view.step > step);
  print('resume until the next step', seconds(since));
  await fleet.ask(CancelJob, { job });
  await seen(fleet, job, ({ state }) => state === 'cancelled');
}

async function timeCancel(fleet: TuningFleet, dataset: DatasetId): Promise<void> {
  const job = await startJob(fleet, dataset);
  const since = performance.now();
  await fleet.ask(CancelJob, { job });
  await seen(fleet, job, ({ state }) => state === 'cancelled');
  print('cancel', seconds(since), '3 s');
}

async function timeLoss(
  fleet: TuningFleet,
  { dataset, worker, trainers }: { dataset: DatasetId; worker: AppProcess; trainers: string },
): Promise<void> {
  const job = await startJob(fleet, dataset);
  await fleet.startWorker(trainers);
  const since = performance.now();
  await worker.stop();
  await seen(fleet, job, ({ attempt, state }) => attempt === 2 && state === 'running');
  print('worker killed until another one trains', seconds(since), '25 s');
  await fleet.ask(CancelJob, { job });
}

/** Measures what data sets and trainings cost and how long their users wait. */
export async function runTuningBench({ root, path, trainers }: TuningBenchStage): Promise<number> {
  const cleanUp = new CleanUp();
  try {
    const fleet = await TuningFleet.start(root, path, cleanUp);
    print('', 'measured', 'target');
    await benchUploads(fleet);
    await benchJobs(fleet, trainers);
    return 0;
  } finally {
    await cleanUp.run();
  }
}
