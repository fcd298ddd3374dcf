import { copyFileSync, openSync, readFileSync, renameSync, statSync, truncateSync } from 'node:fs';

/** Size at which a log is put aside as `<name>.log.1`, in bytes. */
const LARGEST = 10 * 1024 * 1024;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Opens a log for a process to append to by itself, so that it needs no reader and outlives the launcher.
 * @returns the file descriptor, the caller's to close
 */
export function openLog(path: string): number {
  if (sizeOf(path) > LARGEST) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** Cuts a log that grew too large while a process appends to it; what it held is kept as `.1`. */
export function trimLog(path: string): void {
  if (sizeOf(path) <= LARGEST) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A line of structured log as a person reads it: without the fields that all lines share, and without a stack. */
function readable(line: string): string {
  try {
    const { level, event, err, ...rest } = JSON.parse(line) as Record<string, unknown>;
    const fields = Object.entries(rest).filter(([name]) => !['time', 'service', 'pid'].includes(name));
    const message = typeof err === 'object' && err !== null && 'message' in err ? `: ${textOf(err.message)}` : '';
    return `${textOf(level)} ${textOf(event)}${message}${fields.length > 0 ? ` ${JSON.stringify(Object.fromEntries(fields))}` : ''}`;
  } catch {
    return line;
  }
}

/** The last lines that a log holds from byte `since` on. */
export function tailOf(path: string, since: number, lines = 15): string {
  const text = readFileSync(path).subarray(sizeOf(path) >= since ? since : 0);
  return text
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-lines)
    .map(readable)
    .join('\n');
}
