import { copyFileSync, openSync, readFileSync, renameSync, statSync, truncateSync } from 'node:fs';

/** Size above which a log is rotated to `<name>.log.1`, in bytes. */
const LARGEST = 10 * 1024 * 1024;

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Opens a log file that a process writes directly, so that it survives the launcher.
 * @returns the file descriptor, which the caller closes
 */
export function openLog(path: string): number {
  if (sizeOf(path) > LARGEST) renameSync(path, `${path}.1`);
  return openSync(path, 'a', 0o600);
}

/** Rotates a log above `LARGEST` by copy and truncation, since a process appends to it. */
export function trimLog(path: string): void {
  if (sizeOf(path) <= LARGEST) return;
  copyFileSync(path, `${path}.1`);
  truncateSync(path, 0);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A line of the structured log as text, without the common fields and without stacks. */
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

/** The last lines of a log after byte `since`. */
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
