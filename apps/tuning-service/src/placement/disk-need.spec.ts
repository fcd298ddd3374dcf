import { expect, it } from 'vitest';
import { diskNeeded, hasDisk } from './disk-need.js';

const GIB = 2 ** 30;
const job = (data: number | null, base: number) => ({ data_bytes: data, base_facts: { bytes: base } });

it('a job needs twice of what it takes, 1 GiB at least', () => {
  expect(diskNeeded(job(30_000, 2_400_000), undefined)).toBe(GIB);
  expect(diskNeeded(job(2 * GIB, 8 * GIB), undefined)).toBe(2 * (8 * GIB + 4 * GIB));
  expect(diskNeeded(job(null, 0), undefined)).toBe(GIB);
});

it('no job starts where less than 5 % of the disk is free', () => {
  const small = job(0, 0);
  expect(hasDisk(small, { disk_free: 49 * GIB, disk_total: 1_000 * GIB })).toBe(false);
  expect(hasDisk(small, { disk_free: 50 * GIB, disk_total: 1_000 * GIB })).toBe(true);
  // Workers before the field say nothing of their disk.
  expect(hasDisk(small, { disk_free: 2 * GIB })).toBe(true);
});
