import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

const IDENTITY = /^(?<host>.+)-(?<pid>\d+)-(?<start>\d+)$/;

/** The identity of a process of this host: host name, process number and start time, since process numbers are reused. */
export function processIdentity(pid: number): string {
  return `${hostname()}-${pid}-${startOf(pid) ?? 0}`;
}

/** Whether the process of an identity runs; null for a process of another host and for an invalid one. */
export function isRunning(identity: string): boolean | null {
  const named = IDENTITY.exec(identity)?.groups;
  if (named?.['host'] !== hostname()) return null;
  const pid = Number(named['pid']);
  const start = startOf(pid);
  return start === null ? isAlive(pid) : String(start) === named['start'];
}

/** Start time in ticks since boot; null where /proc is missing or the process has ended. */
function startOf(pid: number): number | null {
  try {
    // The second field may contain spaces and brackets; the state is the first field after it.
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

/** Identifies this boot of the machine; writes of an earlier boot may not have reached the disk. Empty where unknown. */
export function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
}
