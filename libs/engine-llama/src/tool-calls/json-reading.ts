import { isJsonObject } from '@slipway/engine';
import type { AnswerText, Reading } from './answer-text.js';

/** Reads a JSON string. @returns its value; null when none comes next. */
export function* readString(text: AnswerText): Reading<string | null> {
  if ((yield* text.peek()) !== '"') return null;
  yield* text.next();
  let raw = '"';
  let escaped = false;
  const whole = yield* text.scan(
    (char) => {
      const ends = char === '"' && !escaped;
      escaped = char === '\\' && !escaped;
      return !ends;
    },
    (piece) => (raw += piece),
  );
  const value = whole ? parsed(raw) : undefined;
  return typeof value === 'string' ? value : null;
}

/**
 * Reads an object or a list up to its last bracket; `piece` gets its text in pieces.
 * @returns whether it was complete.
 */
function* readContainer(text: AnswerText, piece: (text: string) => void): Reading<boolean> {
  let depth = 0;
  let inString = false;
  let escaped = false;
  const more = (char: string): boolean => {
    if (inString) {
      if (!escaped && char === '"') inString = false;
      escaped = char === '\\' && !escaped;
      return true;
    }
    if (char === '"') inString = true;
    if (char === '{' || char === '[') depth += 1;
    if (char === '}' || char === ']') depth -= 1;
    return depth > 0;
  };
  return yield* text.scan(more, piece);
}

/** Skips a JSON value. @returns its text; null when it is invalid. */
export function* readValue(text: AnswerText): Reading<string | null> {
  const first = yield* text.peek();
  if (first === '"') {
    const value = yield* readString(text);
    return value === null ? null : JSON.stringify(value);
  }
  if (first === '{' || first === '[') {
    let raw = '';
    return (yield* readContainer(text, (piece) => (raw += piece))) ? raw : null;
  }
  const word = yield* text.word(/[-+.0-9A-Za-z]/, 64);
  return word !== null && parsed(word) !== undefined ? word : null;
}

/**
 * Reads arguments: an object, possibly inside a JSON string. Null and an empty string mean no arguments.
 * @returns whether they were complete.
 */
export function* readArguments(text: AnswerText, piece: (text: string) => void): Reading<boolean> {
  const first = yield* text.peek();
  if (first === '{') return yield* readContainer(text, piece);
  if (first === '"') {
    const inner = yield* readString(text);
    if (inner?.trim() === '') return true;
    if (inner === null || !isJsonObject(inner)) return false;
    piece(inner);
    return true;
  }
  return yield* text.literal('null');
}

/** Value of a JSON text; undefined when it is invalid. */
export function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
