import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Units of the times in /proc, per second. */
const TICKS_PER_S = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));
const PAGE_BYTES = Number(execFileSync('getconf', ['PAGESIZE'], { encoding: 'utf8' }));
const NS_PER_TICK = 1e9 / TICKS_PER_S;

/** Positions of fields in a process's status after its name. */
const FIELD = { parent: 1, userTime: 11, systemTime: 12, childUserTime: 13, childSystemTime: 14, startTime: 19 };

/** The fields of a process's status after its name, which may hold blanks and brackets. */
function statusOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

/** What the system counts of one process since its start; times in nanoseconds. */
export interface ProcessReading {
  readonly pid: number;
  readonly parent: number;
  /** Tells a process from a later one with the same number. */
  readonly startTime: number;
  /** Processor time of the threads that live, exact. */
  readonly liveNs: number;
  /** Processor time of all threads, also of those that have ended, in steps of a clock tick. */
  readonly allNs: number;
  /** Processor time of children that have ended and were waited for, with their own children. */
  readonly reapedNs: number;
}

const threadsOf = (pid: number): string[] => readdirSync(`/proc/${pid}/task`);

/** @returns null for a process that has ended */
export function readProcess(pid: number): ProcessReading | null {
  return ifRunning((one) => {
    const fields = statusOf(one);
    const field = (name: keyof typeof FIELD): number => Number(fields[FIELD[name]]);
    const live = threadsOf(one).map((thread) => ifRunning(() => readFileSync(`/proc/${one}/task/${thread}/schedstat`, 'latin1'), one));
    return {
      pid: one,
      parent: field('parent'),
      startTime: field('startTime'),
      liveNs: live.reduce((sum, text) => sum + Number(text?.split(' ')[0] ?? 0), 0),
      allNs: (field('userTime') + field('systemTime')) * NS_PER_TICK,
      reapedNs: (field('childUserTime') + field('childSystemTime')) * NS_PER_TICK,
    };
  }, pid);
}

/** Processor time that a process and all its threads have taken, in seconds, as the system counts it. */
export function cpuSeconds(pid: number): number {
  const fields = statusOf(pid);
  return (Number(fields[FIELD.userTime]) + Number(fields[FIELD.systemTime])) / TICKS_PER_S;
}

/** How often threads of a process, while they live, have waited for something: each time, something woke them. */
export function wakeUps(pid: number): number {
  const statuses = threadsOf(pid).map((thread) => ifRunning(() => readFileSync(`/proc/${pid}/task/${thread}/status`, 'latin1'), pid));
  return statuses.reduce((sum, text) => sum + Number(/^voluntary_ctxt_switches:\s+(\d+)$/m.exec(text ?? '')?.[1] ?? 0), 0);
}

/** Resident memory of a process, in bytes. */
export const residentBytes = (pid: number): number => Number(readFileSync(`/proc/${pid}/statm`, 'latin1').split(' ')[1]) * PAGE_BYTES;

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

/** All processes of the machine, by their parent. */
export function childrenByParent(): Map<number, number[]> {
  const children = new Map<number, number[]>();
  for (const pid of readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)) {
    const parent = ifRunning((one) => Number(statusOf(one)[FIELD.parent]), pid);
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), pid]);
  }
  return children;
}
