import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { markOf, runs } from './process-mark.js';

it('this process runs, one that ended does not, and of other hosts nothing is known', () => {
  expect(runs(markOf(process.pid))).toBe(true);
  const { pid } = spawnSync('true');
  expect(runs(markOf(pid))).toBe(false);
  expect(runs('another-host-12-34')).toBeNull();
  expect(runs('nonsense')).toBeNull();
});

it('a process that got the number of a dead one does not pass for it', () => {
  const [own] = [markOf(process.pid)];
  expect(runs(own.replace(/\d+$/, '1'))).toBe(false);
});
