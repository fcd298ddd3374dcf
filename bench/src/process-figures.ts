import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Units of the times in /proc, per second. */
const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));

const PARENT = 1;
const USER_TIME = 11;
const SYSTEM_TIME = 12;

/** The fields of a process's status after its name, which may hold blanks and brackets. */
function statusOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** Processor time that a process and all its threads have taken, in seconds, as the system counts it. */
export function cpuSeconds(pid: number): number {
  const fields = statusOf(pid);
  return (Number(fields[USER_TIME]) + Number(fields[SYSTEM_TIME])) / TICKS_PER_S;
}

/** Resident memory of a process, in bytes. */
export const residentBytes = (pid: number): number => Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;

/** Processes by the name under which their figures are reported. */
export type ProcessGroups = Readonly<Record<string, readonly number[]>>;

/** Processor time of each group, in seconds. */
export const cpuOf = (groups: ProcessGroups): Record<string, number> =>
  Object.fromEntries(Object.entries(groups).map(([name, pids]) => [name, pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0)]));

/** Memory of a process that runs, in bytes, with its share of what it has in common with others (PSS). */
export function proportionalBytes(pid: number): number {
  const [, kilobytes = '0'] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? [];
  return Number(kilobytes) * 1024;
}

/** @returns null for a process that has ended meanwhile */
export function ifRunning<T>(read: (pid: number) => T, pid: number): T | null {
  try {
    return read(pid);
  } catch {
    return null;
  }
}

/**
 * A process and all below it, in groups.
 * @param nameOf the group of a process; `above` is that of its parent, empty for `root`
 */
export function processTrees(root: number, nameOf: (pid: number, above: string) => string): ProcessGroups {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const parent = ifRunning((one) => Number(statusOf(one)[PARENT]), pid);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  const groups: Record<string, number[]> = {};
  const visit = (pid: number, above: string): void => {
    const name = nameOf(pid, above);
    (groups[name] ??= []).push(pid);
    for (const child of children.get(pid) ?? []) visit(child, name);
  };
  visit(root, '');
  return groups;
}
