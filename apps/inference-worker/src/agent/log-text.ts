import { z } from 'zod';

const Entry = z.looseObject({ level: z.string(), time: z.string(), event: z.string(), message: z.string().optional() });
/** Known from where the line is shown. */
const KNOWN = new Set(['level', 'time', 'event', 'service', 'pid', 'deployment', 'rev']);

/** The last line of a stream that did not fail, as it stands there: to parse them all would cost more than to write them. */
const GONE_WELL = /"outcome":"(?:done|cancelled)".*"event":"stream"\}\s*$/;

/** A line of a log for people. */
interface ReadableLine {
  readonly at: number;
  readonly text: string;
}

/**
 * Reads a line that a logger wrote; null for what is no such line, and for streams that went well: they are many, and the
 * metrics count them.
 */
export function readableLine(json: string): ReadableLine | null {
  if (GONE_WELL.test(json)) return null;
  const entry = Entry.safeParse(parse(json)).data;
  const at = Date.parse(entry?.time ?? '');
  if (!entry || Number.isNaN(at)) return null;
  const level = entry.level === 'info' || entry.level === 'debug' ? '' : `${entry.level} `;
  if (entry.event.startsWith('llama.') && entry.message !== undefined) return { at, text: level + entry.message };
  const fields = Object.entries(entry).filter(([name]) => !KNOWN.has(name));
  return { at, text: level + [entry.event, ...fields.map(([name, value]) => `${name}=${wordOf(value)}`)].join(' ') };
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
