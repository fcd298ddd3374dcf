import { describe, expect, it } from 'vitest';
import { inLine, type Waiting } from './next-job.js';

const job = (id: number, account: number, more: Partial<Waiting> = {}): Waiting => ({
  id,
  account,
  priority: 0,
  losses: 0,
  queuedAt: id,
  ...more,
});
const idle = { running: new Map<number, number>(), deviceSeconds: new Map<number, number>() };
const ids = (jobs: readonly Waiting[]): number[] => jobs.map(({ id }) => id);

describe('the line of jobs', () => {
  it('lets accounts alternate, however many jobs one has', () => {
    const jobs = [job(1, 1), job(2, 1), job(3, 1), job(4, 2), job(5, 3)];
    expect(ids(inLine(jobs, idle))).toEqual([1, 4, 5, 2, 3]);
  });

  it('prefers accounts with fewer running slots, then with less use', () => {
    const jobs = [job(1, 1), job(2, 2), job(3, 3)];
    const usage = { running: new Map([[1, 1]]), deviceSeconds: new Map([[2, 500]]) };
    expect(ids(inLine(jobs, usage))).toEqual([3, 2, 1]);
  });

  it('takes an account’s own jobs by priority, then by age', () => {
    expect(ids(inLine([job(1, 1), job(2, 1, { priority: 1 }), job(3, 1, { priority: -1 })], idle))).toEqual([2, 1, 3]);
  });

  it('puts a job whose worker was lost at the front', () => {
    expect(ids(inLine([job(1, 1), job(2, 2, { losses: 1 })], { ...idle, running: new Map([[2, 3]]) }))).toEqual([2, 1]);
  });
});
