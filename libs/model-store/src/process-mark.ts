import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const MARK = /^(?<host>.+)-(?<pid>\d+)-(?<start>\d+)$/;

/** Names a process for as long as its host runs: process numbers are given out again, and start times tell them apart. */
export function markOf(pid: number): string {
  return `${hostname()}-${pid}-${startOf(pid) ?? 0}`;
}

/** Whether the process of a mark runs; null for one of another host, and for what is no mark. */
export function runs(mark: string): boolean | null {
  const named = MARK.exec(mark)?.groups;
  if (named?.['host'] !== hostname()) return null;
  const pid = Number(named['pid']);
  const start = startOf(pid);
  return start === null ? isAlive(pid) : String(start) === named['start'];
}

/** In ticks since the machine's start; null where the kernel does not tell, or the process is over. */
function startOf(pid: number): number | null {
  try {
    // The second field may hold blanks and brackets; the state is the first one behind it.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields[0] === 'Z' ? null : Number(fields[19]);
  } catch {
    return null;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !isZombie(pid);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function isZombie(pid: number): boolean {
  try {
    return /\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Names this start of the machine: what was written before it may never have reached the disk. Empty where nothing tells. */
export function bootMark(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
