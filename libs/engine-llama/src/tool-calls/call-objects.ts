import type { AnswerText, Reading } from './answer-text.js';
import type { CallFinder, CallSink, ToolRule } from './call-family.js';
import { readArguments, readString, readValue } from './json-reading.js';
import { gbnfText } from './gbnf-text.js';

/** Keys of a call's JSON object. */
export interface CallKeys {
  readonly name: readonly string[];
  readonly args: readonly string[];
  readonly id: readonly string[];
  /** True = the tool's name is the key of the arguments. */
  readonly named?: true;
}

/** `none` = not a call, nothing was passed on; `broken` = began as a call but is invalid; `silent` = a mark without a call. */
export type CallOutcome = 'done' | 'none' | 'broken' | 'silent';

/** Reads one object. Passes on its call once its name and the beginning of its arguments are known. */
class CallObject {
  #name: string | undefined;
  #id: string | undefined;
  #early = '';
  #begun = false;

  constructor(
    private readonly keys: CallKeys,
    private readonly sink: CallFinder,
  ) {}

  get begun(): boolean {
    return this.#begun;
  }

  *member(text: AnswerText): Reading<boolean> {
    const key = yield* readString(text);
    yield* text.skipSpace();
    if (key === null || !(yield* text.literal(':'))) return false;
    yield* text.skipSpace();
    if (this.keys.named === true) return this.#named(key) && (yield* readArguments(text, (piece) => this.#args(piece)));
    if (this.keys.name.includes(key)) return this.#named(yield* readString(text));
    if (this.keys.args.includes(key)) return yield* readArguments(text, (piece) => this.#args(piece));
    const value = yield* readValue(text);
    if (this.keys.id.includes(key) && value !== null) this.#id = idOf(value);
    return value !== null;
  }

  /** Ends the object. @returns whether it is a call. */
  end(): boolean {
    if (!this.#begin()) return false;
    this.sink.close();
    return true;
  }

  #named(name: string | null): boolean {
    if (name === null || this.#name !== undefined || !this.sink.offers(name)) return false;
    this.#name = name;
    return true;
  }

  #args(piece: string): void {
    if (this.#begin()) this.sink.args(piece);
    else this.#early += piece;
  }

  #begin(): boolean {
    if (this.#begun || this.#name === undefined) return this.#begun;
    this.#begun = true;
    this.sink.begin(this.#name, this.#id);
    if (this.#early !== '') this.sink.args(this.#early);
    return true;
  }
}

const idOf = (value: string): string | undefined => {
  const id: unknown = JSON.parse(value);
  return typeof id === 'string' && id !== '' ? id : undefined;
};

/** Reads one object that may be a call. */
export function* readCallObject(text: AnswerText, sink: CallFinder, keys: CallKeys): Reading<CallOutcome> {
  if (!(yield* text.literal('{'))) return 'none';
  const call = new CallObject(keys, sink);
  for (;;) {
    yield* text.skipSpace();
    if (!(yield* call.member(text))) break;
    yield* text.skipSpace();
    const next = yield* text.next();
    if (next === '}' && call.end()) return 'done';
    if (next !== ',') break;
  }
  return call.begun ? 'broken' : 'none';
}

/**
 * Reads a list of calls, or a single one without brackets. If the first item is not a call, the list is not one; a later invalid
 * item is an error, because the calls before it were passed on. The answer may end after any call.
 */
export function* readCallList(text: AnswerText, sink: CallFinder, keys: CallKeys): Reading<CallOutcome> {
  if (!(yield* text.literal('['))) return yield* readCallObject(text, sink, keys);
  let calls = 0;
  for (;;) {
    yield* text.skipSpace();
    const outcome = yield* readCallObject(text, sink, keys);
    if (outcome !== 'done' && calls === 0) return outcome;
    if (outcome !== 'done') break;
    calls += 1;
    yield* text.skipSpace();
    const next = yield* text.next();
    if (next === ']' || next === '') return 'done';
    if (next !== ',') break;
  }
  sink.broken();
  return 'broken';
}

/** GBNF of one call's object. */
export function callObjectRule(
  tools: readonly ToolRule[],
  { name: [nameKey = 'name'], args: [argsKey = 'arguments'], named }: CallKeys,
): string {
  const head = (tool: string): string => {
    const name = JSON.stringify(tool);
    return named === true ? `{${name}: ` : `{"${nameKey}": ${name}, "${argsKey}": `;
  };
  return `(${tools.map(({ tool, args }) => `${gbnfText(head(tool.name))} ${args} ${gbnfText('}')}`).join(' | ')})`;
}

/** GBNF of a list of calls. */
export const callListRule = (call: string, many: boolean): string =>
  many ? `${gbnfText('[')} ${call} (${gbnfText(', ')} ${call})* ${gbnfText(']')}` : `${gbnfText('[')} ${call} ${gbnfText(']')}`;

/**
 * Reads calls after a mark. If none follows, the mark is passed on as text and the rest is read again.
 */
export function* readBehind(
  text: AnswerText,
  sink: CallFinder,
  mark: string,
  read: (sink: CallFinder) => Reading<CallOutcome>,
): Reading<CallOutcome> {
  const behind = text.at;
  text.keep(behind - mark.length);
  const begin: CallSink['begin'] = (name, id) => {
    text.release();
    sink.begin(name, id);
  };
  const outcome = yield* read({
    text: (x) => sink.text(x),
    begin,
    args: (x) => sink.args(x),
    close: () => sink.close(),
    broken: () => sink.broken(),
    offers: (name) => sink.offers(name),
  });
  if (outcome === 'silent') text.release();
  if (outcome === 'none') {
    text.rewind(behind);
    if (mark !== '') sink.text(mark);
  }
  return outcome;
}
