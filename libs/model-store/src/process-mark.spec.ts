import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { markOf, runs } from './process-mark.js';

it('says which processes of this host run', () => {
  expect(runs(markOf(process.pid))).toBe(true);
  const { pid } = spawnSync('true');
  expect(runs(markOf(pid))).toBe(false);
  expect(runs('another-host-12-34')).toBeNull();
  expect(runs('nonsense')).toBeNull();
});

it('does not take a reused process number', () => {
  const [own] = [markOf(process.pid)];
  expect(runs(own.replace(/\d+$/, '1'))).toBe(false);
});
