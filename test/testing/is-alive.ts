import { readFileSync } from 'node:fs';

/** True while a process runs; one that has ended and waits to be collected does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
