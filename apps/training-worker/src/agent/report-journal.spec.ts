import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Incarnation, JobId, ServiceError } from '@slipway/contracts';
import type { RpcClient } from '@slipway/platform';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Metric, ReportRequest } from './pending-reports.js';
import { readJournal } from './report-journal.js';
import { ReportQueue } from './report-queue.js';

const attempt = { tw: Incarnation.parse('TWTWTWTWTWTWTWTWTWTWTW'), job: JobId.parse(4), attempt: 1 };
const AT = '2026-11-26T00:00:00.000Z';
const point = (step: number, loss: number | null, held: number | null = null): Metric => ({
  ...{ step, at: AT, epoch: 0, loss, held_loss: held, accuracy: null, lr: null, tokens_per_s: null },
});
const event = (code: string) => ({ at: AT, level: 'info' as const, code, message: code, data: {} });

let folder: string;
let journal: string;
/** What tuning-service took, and whether it answers. */
const taken: ReportRequest[] = [];
let answers: (request: ReportRequest) => boolean;

beforeEach(() => {
  vi.useFakeTimers();
  folder = mkdtempSync(join(tmpdir(), 'slipway-journal-'));
  journal = join(folder, 'reports/4-1.jsonl');
  taken.length = 0;
  answers = () => true;
});
afterEach(() => {
  vi.useRealTimers();
  rmSync(folder, { recursive: true });
});

function queue(): ReportQueue {
  const call = (_: unknown, request: ReportRequest): Promise<unknown> => {
    if (!answers(request)) return Promise.reject(new ServiceError('unavailable', 'Not now.'));
    taken.push(request);
    return Promise.resolve({ seq: request.seq, desired: 'run', adapter: null });
  };
  return new ReportQueue({
    ...{ rpc: { call } as unknown as RpcClient, attempt, journal, onDesired: () => undefined, onSuperseded: () => undefined },
  });
}

const left = (): ReportRequest[] => readJournal(journal) ?? [];
const seconds = (count: number): Promise<unknown> => vi.advanceTimersByTimeAsync(count * 1_000);

describe('reports of an attempt', () => {
  it('are on the disk as soon as they are known', () => {
    const reports = queue();
    reports.point(point(1, 2));
    reports.point(point(1, null, 1.5));
    reports.event(event('prepared'));
    reports.add({ state: 'running' });
    expect(left()).toEqual([{ ...attempt, seq: 1, metrics: [point(1, 2, 1.5)], events: [event('prepared')], state: 'running' }]);
    reports.close();
  });

  it('that hold events replace none that wait', async () => {
    const reports = queue();
    reports.event(event('disk_low'));
    reports.add({ state: 'failed', events: [event('failed')] });
    await seconds(2);
    expect(taken.flatMap(({ events = [] }) => events.map(({ code }) => code))).toEqual(['disk_low', 'failed']);
    reports.close();
  });

  it('that were stored are not left, those after them are', async () => {
    const reports = queue();
    reports.point(point(1, 2));
    await seconds(1);
    expect(taken.map(({ seq }) => seq)).toEqual([1]);
    answers = () => false;
    reports.point(point(2, 1));
    reports.event(event('checkpoint'));
    await seconds(2);
    reports.point(point(3, 0.5));
    // The second was sent, perhaps stored: it keeps its number and its content.
    expect(left()).toEqual([
      { ...attempt, seq: 2, metrics: [point(2, 1)], events: [event('checkpoint')] },
      { ...attempt, seq: 3, metrics: [point(3, 0.5)] },
    ]);
    reports.close();
    expect(left()).toHaveLength(2);
  });

  it('outlive a line that was cut off', () => {
    const reports = queue();
    for (let step = 1; step <= 3; step += 1) reports.point(point(step, step));
    truncateSync(journal, statSync(journal).size - 5);
    expect(left().flatMap(({ metrics = [] }) => metrics.map(({ step }) => step))).toEqual([1, 2]);
    reports.close();
    appendFileSync(journal, 'no JSON\n');
    expect(left()).toHaveLength(1);
  });

  it('leave no file once all of them are answered', async () => {
    const reports = queue();
    reports.add({ state: 'succeeded' });
    const settled = reports.settled();
    await seconds(1);
    await settled;
    reports.close();
    expect(existsSync(journal)).toBe(false);
  });

  it('leave no file when another worker has the job', async () => {
    const reports = queue();
    answers = () => {
      throw new ServiceError('attempt_superseded', 'Another attempt runs.');
    };
    reports.point(point(1, 2));
    await seconds(1);
    reports.drop();
    expect(existsSync(journal)).toBe(false);
  });

  it('do not grow a file whose reports are stored', async () => {
    const reports = queue();
    for (let i = 0; i < 3; i += 1) {
      for (let line = 0; line < 1_500; line += 1) reports.log('x'.repeat(900));
      await seconds(5);
    }
    expect(statSync(journal).size).toBeLessThan(1_000);
    expect(JSON.parse(readFileSync(journal, 'utf8').split('\n')[0] ?? '')).toMatchObject({ k: 'attempt', seq: taken.at(-1)?.seq });
    reports.close();
  });

  it('of steps are left out above 64 MiB, events are not', async () => {
    answers = () => false;
    const reports = queue();
    // Three bytes each.
    const text = '€'.repeat(1_000);
    for (let line = 0; line < 23_000; line += 1) reports.log(text);
    reports.point(point(1, 2));
    reports.point(point(2, null, 1));
    reports.event(event('paused'));
    expect(statSync(journal).size).toBeLessThan(65 * 2 ** 20);
    const requests = left();
    const codes = requests.flatMap(({ events = [] }) => events.map(({ code }) => code));
    expect(codes).toEqual(['points_left_out', 'paused']);
    expect(requests.flatMap(({ metrics = [] }) => metrics.map(({ step }) => step))).toEqual([2]);
    reports.close();
  });
});
