import type { ConsoleReply, LogLineLevel } from '@slipway/contracts';
import type { TimeZone } from '../format/time-zone.js';

export type LogLine = ConsoleReply<'deployments/log'>['lines'][number];

/** Lines that a page keeps; the oldest go first. */
export const LINES_MAX = 5_000;

const LEVEL_WORD = /^(debug|info|warn|error)\b/;

/** Level of a line. Workers of before levels wrote it in front of the text. */
export const levelOf = ({ level, text }: Pick<LogLine, 'level' | 'text'>): LogLineLevel =>
  level ?? (LEVEL_WORD.exec(text)?.[1] as LogLineLevel | undefined) ?? 'info';

/** What a replica is known by among the lines: its agent, or its host. */
export const replicaOf = ({ agent, host }: Pick<LogLine, 'agent' | 'host'>): string => agent ?? host;

const two = (value: number): string => String(value).padStart(2, '0');

/** Time of day of a line, to the millisecond: `20:03:14.052`. */
export function clockOf(at: number, zone: TimeZone): string {
  const moment = new Date(at);
  if (zone === 'utc') return moment.toISOString().slice(11, 23);
  const clock = [moment.getHours(), moment.getMinutes(), moment.getSeconds()].map(two).join(':');
  return `${clock}.${String(moment.getMilliseconds()).padStart(3, '0')}`;
}

/** A line as it is saved: everything in UTC, the fields apart by blanks. */
export const savedLine = ({ at, host, rev, request, ...line }: LogLine): string =>
  [new Date(at).toISOString(), levelOf(line), host, `r${rev}`, ...(request === undefined ? [] : [request]), line.text].join(' ');

/** What a live tail holds: the lines before, and those that came since. */
export const grown = (before: readonly LogLine[], newer: readonly LogLine[]): readonly LogLine[] =>
  newer.length === 0 ? before : [...before, ...newer].slice(-LINES_MAX);
