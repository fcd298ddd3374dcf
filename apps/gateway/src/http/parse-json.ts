import { type ErrorCode, isRecord, ServiceError } from '@slipway/contracts';
import { guardJson, MAX_DEPTH } from './json-guard.js';

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Result of parsing a body; can be sent between threads. */
export type ParseOutcome = { readonly value: Record<string, unknown> } | { readonly code: ErrorCode; readonly message: string };

const refuse = (code: ErrorCode, message: string): ParseOutcome => ({ code, message });

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** Parses a request body. Error messages never quote it: they hold positions and names of known keys. */
export function parseBody(bytes: Uint8Array): ParseOutcome {
  if (bytes.length === 0) return refuse('invalid_json', 'The body is empty; send a JSON object.');
  if (BYTE_ORDER_MARK.equals(bytes.subarray(0, 3)))
    return refuse('invalid_json', 'The body starts with a byte order mark; send it without.');
  let text: string;
  try {
    text = UTF8.decode(bytes);
  } catch {
    return refuse('invalid_utf8', 'The body is not valid UTF-8.');
  }
  const traits = guardJson(bytes);
  if ('code' in traits) return traits;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return refuse('invalid_json', `The body is not valid JSON${positionIn(error)}.`);
  }
  if (!isRecord(value)) return refuse('invalid_json', 'The body must be a JSON object.');
  // Checked after the syntax: the next reader would read these two values differently.
  if (traits.halfSurrogate) return refuse('invalid_unicode', 'A string of the body holds half a surrogate pair.');
  if (traits.infiniteNumber) return refuse('invalid_value', 'A number of the body is too large.');
  return { value };
}

/** The parsed body. @throws ServiceError where it is invalid */
export function parsedValue(outcome: ParseOutcome): Record<string, unknown> {
  if ('code' in outcome) throw new ServiceError(outcome.code, outcome.message);
  return outcome.value;
}

/** True for a value nested deeper than a body may be. For JSON inside a string of the body, which `guardJson` does not check. */
export function isTooDeep(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isTooDeep(inner, levels - 1));
}

/** V8's message quotes the body, so only the position is taken from it. */
function positionIn(error: unknown): string {
  const position = error instanceof Error ? /at position (\d+)/.exec(error.message)?.[1] : undefined;
  return position === undefined ? '' : ` at position ${position}`;
}
