import { childrenByParent, ifRunning, type ProcessReading, proportionalBytes, readProcess, wakeUps } from './process-figures.js';

/** One process of a tree, and the name under which its figures are reported. */
export interface Entry {
  readonly group: string;
  readonly reading: ProcessReading;
}

/** A process and everything below it at one moment, by process number. */
export type ProcessTable = ReadonlyMap<number, Entry>;

/** @returns the group of a process; `above` is that of its parent, empty for the first process */
export type GroupOf = (pid: number, above: string) => string;

/** Reads a process and all below it. */
export function processTable(root: number, groupOf: GroupOf): ProcessTable {
  const children = childrenByParent();
  const table = new Map<number, Entry>();
  const visit = (pid: number, above: string): void => {
    const reading = readProcess(pid);
    if (reading === null) return;
    const group = groupOf(pid, above);
    table.set(pid, { group, reading });
    for (const child of children.get(pid) ?? []) visit(child, group);
  };
  visit(root, '');
  return table;
}

/** Two clock ticks of 10 ms: what both counts of the same time may differ by. */
const TICKS_NS = 20e6;

/** Processor time of one process between two readings; for a process that is new, all of it. */
function ownNs(before: ProcessReading | null, after: ProcessReading): number {
  const live = after.liveNs - (before?.liveNs ?? 0);
  const all = after.allNs - (before?.allNs ?? 0);
  // Threads that have ended meanwhile are only in the coarse count.
  return all - live > TICKS_NS ? all : live;
}

const sameProcess = (entry: Entry | undefined, { startTime }: ProcessReading): ProcessReading | null =>
  entry?.reading.startTime === startTime ? entry.reading : null;

/**
 * Processor time between two tables of one tree by group, in seconds: also that of processes which began or ended between
 * them. The time of one that has ended is in its parent's count, with what it took before the first table.
 */
export function cpuBetween(before: ProcessTable, after: ProcessTable): Record<string, number> {
  const sums: Record<string, number> = {};
  const add = (group: string, ns: number): void => void (sums[group] = (sums[group] ?? 0) + ns / 1e9);
  for (const [pid, { group, reading }] of after) {
    const earlier = sameProcess(before.get(pid), reading);
    add(group, ownNs(earlier, reading) + reading.reapedNs - (earlier?.reapedNs ?? 0));
  }
  for (const [pid, { reading }] of before) {
    const left = after.get(pid);
    const parent = after.get(reading.parent);
    const isReaped = parent !== undefined && left?.reading.startTime !== reading.startTime;
    if (isReaped) add(parent.group, -(reading.allNs + reading.reapedNs));
  }
  return sums;
}

/** What a group of processes takes at some moment. */
export interface Holding {
  readonly processes: number;
  /** Memory with each process's share of common pages (PSS), in bytes. */
  readonly bytes: number;
  /** Since the start of those processes. */
  readonly wakeUps: number;
}

/** Memory and wake-ups of a table's processes by group; a process that has ended counts nothing. */
export function holdings(table: ProcessTable): Record<string, Holding> {
  const sums: Record<string, Holding> = {};
  for (const [pid, { group }] of table) {
    const [bytes, woken] = [ifRunning(proportionalBytes, pid), ifRunning(wakeUps, pid)];
    if (bytes === null || woken === null) continue;
    const sum = sums[group] ?? { processes: 0, bytes: 0, wakeUps: 0 };
    sums[group] = { processes: sum.processes + 1, bytes: sum.bytes + bytes, wakeUps: sum.wakeUps + woken };
  }
  return sums;
}
