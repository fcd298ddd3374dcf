import { type LogLine, type LogLineLevel, RequestId } from '@slipway/contracts';
import { z } from 'zod';

const Entry = z.looseObject({ level: z.string(), time: z.string(), event: z.string(), message: z.string().optional() });
/** Known from where the line is shown. */
const KNOWN = new Set(['level', 'time', 'event', 'service', 'pid', 'deployment', 'rev', 'request']);

/** The last line of a stream that did not fail, as it stands there: to parse them all would cost more than to write them. */
const GONE_WELL = /"outcome":"(?:done|cancelled)".*"event":"stream"\}\s*$/;

/** A line of a log for people. */
export type ReadableLine = Pick<LogLine, 'at' | 'text' | 'level' | 'request'>;

const LEVELS: Readonly<Record<string, LogLineLevel>> = {
  trace: 'debug',
  debug: 'debug',
  info: 'info',
  warn: 'warn',
  error: 'error',
  fatal: 'error',
};

/**
 * Reads a line that a logger wrote; null for what is no such line, and for streams that went well: they are many, and the
 * metrics count them.
 */
export function readableLine(json: string): ReadableLine | null {
  if (GONE_WELL.test(json)) return null;
  const entry = Entry.safeParse(parse(json)).data;
  const at = Date.parse(entry?.time ?? '');
  if (!entry || Number.isNaN(at)) return null;
  const request = RequestId.safeParse(entry['request']).data;
  const about = { at, level: LEVELS[entry.level] ?? 'info', ...(request !== undefined && { request }) };
  if (entry.event.startsWith('llama.') && entry.message !== undefined) return { ...about, text: entry.message };
  const fields = Object.entries(entry).filter(([name]) => !KNOWN.has(name));
  return { ...about, text: [entry.event, ...fields.map(([name, value]) => `${name}=${wordOf(value)}`)].join(' ') };
}

const wordOf = (value: unknown): string =>
  typeof value === 'string' && /^[^\s"=]+$/.test(value) ? value : JSON.stringify(value, withoutStack);

/** Where in the code an error arose names folders of the machine: that is for the operator, in the log of the process. */
const withoutStack = (name: string, value: unknown): unknown =>
  name === 'stack' || (name === 'at' && Array.isArray(value)) ? undefined : value;

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
