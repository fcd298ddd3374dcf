import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Units of the times in /proc, per second. */
const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** Processor time that a process and all its threads have taken, in seconds, as the system counts it. */
function cpuSeconds(pid: number): number {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The second field, the name, may hold blanks and brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) / TICKS_PER_S;
}

/** Resident memory of a process, in bytes. */
export const residentBytes = (pid: number): number => Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;

/** Processes by the name under which their figures are reported. */
export type ProcessGroups = Readonly<Record<string, readonly number[]>>;

/** Processor time of each group, in seconds. */
export const cpuOf = (groups: ProcessGroups): Record<string, number> =>
  Object.fromEntries(Object.entries(groups).map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)]));
