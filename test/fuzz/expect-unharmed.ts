import { expect } from 'vitest';
import { until } from '../gateway/gateway-rig.js';
import { fuzz, type FuzzReport } from './fuzz-run.js';
import { FuzzTarget } from './fuzz-target.js';

const WITHIN_MS = 60_000;
const MAX_GROWTH_MIB = 128;

/** Sends so many changed requests to a gateway of its own, which answers each as its contract says and is none the worse for it. */
export async function expectUnharmed(first: number, count: number): Promise<FuzzReport> {
  const target = await FuzzTarget.start();
  let report: FuzzReport;
  let complaints: readonly string[];
  let code: number | null;
  try {
    report = await fuzz(target, first, count);
    await until('nothing runs', () => target.running === 0, WITHIN_MS);
  } finally {
    ({ complaints } = target);
    code = await target.end();
  }
  expect(report.faults.join('\n'), `seeds ${first} to ${first + count - 1}`).toBe('');
  expect(report.requests).toBe(count);
  expect(complaints.slice(0, 5)).toEqual([]);
  expect(code).toBe(0);
  const [halfway, end] = report.memoryMib;
  expect(end - halfway, `memory went from ${halfway} to ${end} MiB`).toBeLessThan(MAX_GROWTH_MIB);
  return report;
}
