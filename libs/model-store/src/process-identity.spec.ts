import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { processIdentity, isRunning } from './process-identity.js';

it('says which processes of this host are running', () => {
  expect(isRunning(processIdentity(process.pid))).toBe(true);
  const { pid } = spawnSync('true');
  expect(isRunning(processIdentity(pid))).toBe(false);
  expect(isRunning('another-host-12-34')).toBeNull();
  expect(isRunning('nonsense')).toBeNull();
});

it('does not take a reused process number', () => {
  const [own] = [processIdentity(process.pid)];
  expect(isRunning(own.replace(/\d+$/, '1'))).toBe(false);
});
