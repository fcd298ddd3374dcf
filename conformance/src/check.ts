import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';

/** A case that is not met: what was expected, and what came. */
export class Mismatch extends Error {
  constructor(
    readonly expected: string,
    readonly came: string,
  ) {
    super(`expected ${expected}, came ${came}`);
  }
}

const SHOWN_MAX = 400;

/** A value on one line, shortened. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : inspect(value, { depth: 6, breakLength: Infinity, compact: true });
  const line = text.replaceAll('\r', '\\r').replaceAll('\n', '\\n');
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}…` : line;
}

class Rule {
  constructor(
    readonly words: string,
    readonly holds: (came: unknown) => boolean,
  ) {}

  [inspect.custom](): string {
    return this.words;
  }
}

/** A value with a property that is named in words. */
export const that = (words: string, holds: (came: never) => boolean): Rule => new Rule(words, holds as (came: unknown) => boolean);

export const TEXT = that('some text', (came: unknown) => typeof came === 'string' && came !== '');
export const WHOLE = that('a whole number', (came: unknown) => Number.isInteger(came));
export const ABSENT = that('no such field', (came: unknown) => came === undefined);
/** Null, or no such field. */
export const NOTHING = that('null or no such field', (came: unknown) => came === undefined || came === null);
export const oneOf = (...values: readonly unknown[]): Rule => that(`one of ${shown(values)}`, (came: unknown) => values.includes(came));

function fault(path: string, came: unknown, expected: unknown): Mismatch | null {
  if (expected instanceof Rule) return expected.holds(came) ? null : new Mismatch(`${path}: ${expected.words}`, shown(came));
  if (expected instanceof RegExp) {
    return typeof came === 'string' && expected.test(came) ? null : new Mismatch(`${path}: text like ${String(expected)}`, shown(came));
  }
  if (Array.isArray(expected)) return faultInList(path, came, expected);
  if (typeof expected === 'object' && expected !== null) return faultInObject(path, came, expected);
  return Object.is(came, expected) ? null : new Mismatch(`${path}: ${shown(expected)}`, shown(came));
}

function faultInObject(path: string, came: unknown, expected: object): Mismatch | null {
  if (typeof came !== 'object' || came === null) return new Mismatch(`${path}: an object`, shown(came));
  for (const [name, wanted] of Object.entries(expected)) {
    const found = fault(`${path}.${name}`, (came as Record<string, unknown>)[name], wanted);
    if (found) return found;
  }
  return null;
}

function faultInList(path: string, came: unknown, expected: readonly unknown[]): Mismatch | null {
  if (!Array.isArray(came) || came.length !== expected.length) {
    return new Mismatch(`${path}: a list of ${expected.length}${expected.length === 0 ? '' : `: ${shown(expected)}`}`, shown(came));
  }
  for (const [i, wanted] of expected.entries()) {
    const found = fault(`${path}[${i}]`, came[i], wanted);
    if (found) return found;
  }
  return null;
}

/**
 * Compares what came with what is expected: objects need the expected fields and may have others, lists have the same length,
 * regular expressions match text, and rules hold.
 * @throws Mismatch that names the place.
 */
export function expectLike(what: string, came: unknown, expected: unknown): void {
  const found = fault(what, came, expected);
  if (found) throw found;
}

/** @throws Mismatch unless `holds`. */
export function expectThat(expected: string, holds: boolean, came: unknown): void {
  if (!holds) throw new Mismatch(expected, shown(came));
}

/** Waits until something holds. @throws Mismatch when it does not within `withinMs` */
export async function eventually(expected: string, holds: () => boolean, withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  while (!holds()) {
    if (performance.now() > end) throw new Mismatch(`${expected} within ${withinMs} ms`, 'not so');
    await sleep(10);
  }
}
