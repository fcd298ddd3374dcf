import { isRecord, type Tool } from '@slipway/contracts';
import { AnswerText, type Reading } from './answer-text.js';
import type { CallSink } from './call-family.js';
import { parsed } from './json-reading.js';
import { PYTHON_LITERALS, readLiteral } from './literal-values.js';

/** Schema of a tool's parameter; null = none. */
export function schemaOf(tool: Tool | undefined, name: string): unknown {
  const properties = tool?.parameters?.['properties'];
  return isRecord(properties) && Object.hasOwn(properties, name) ? properties[name] : null;
}

/** Whether a tool's schema makes this parameter text; null = unspecified. */
export const isTextParameter = (tool: Tool | undefined, name: string): boolean | null => isTextSchema(schemaOf(tool, name));

/** Whether a schema allows text only; null = unspecified. */
export function isTextSchema(schema: unknown): boolean | null {
  if (!isRecord(schema)) return null;
  const { type, enum: options, const: only } = schema;
  if (only !== undefined) return typeof only === 'string';
  if (Array.isArray(options)) return options.every((option) => typeof option === 'string');
  return type === undefined ? null : type === 'string';
}

/** JSON of a value written as plain text: parsed as JSON or as a Python literal, unless the schema says text. */
export function jsonOfPlain(value: string, isText: boolean | null): string {
  const word = value.trim();
  if (isText === true) return JSON.stringify(value);
  if (parsed(word) !== undefined) return word;
  return pythonJson(word) ?? JSON.stringify(value);
}

/** JSON of a Python literal; null = not one. */
function pythonJson(word: string): string | null {
  if (!/^[[{]|^(?:True|False|None)$/.test(word)) return null;
  const text = new AnswerText();
  text.add(`${word} `);
  text.end();
  const { value } = readLiteral(text, PYTHON_LITERALS).next();
  return value !== undefined && text.held === 1 ? value : null;
}

/** Format of a value. */
export interface ValueForm {
  readonly end: string;
  /** Line breaks at both ends are part of the format. */
  readonly padded: boolean;
  /** Type stated in the answer; null = none. A schema takes precedence. */
  readonly isText: boolean | null;
  readonly verbatim?: readonly [open: string, close: string] | undefined;
  readonly nested?: ((value: string, schema: unknown) => string | null) | undefined;
}

/** Joins arguments written one by one to the JSON text of an object. */
export class TaggedArguments {
  readonly #names = new Set<string>();

  constructor(
    private readonly sink: CallSink,
    private readonly tool: Tool | undefined,
  ) {}

  /** Begins an argument. @returns false for a repeated one. */
  begin(name: string): boolean {
    if (this.#names.has(name)) return false;
    this.sink.args(`${this.#names.size === 0 ? '{' : ', '}${JSON.stringify(name)}: `);
    this.#names.add(name);
    return true;
  }

  /** Adds JSON text of the current value. */
  json(text: string): void {
    this.sink.args(text);
  }

  /** Reads a parameter's value up to its end. @returns whether it was complete and the parameter is new. */
  *value(text: AnswerText, name: string, { end, padded, isText: said, verbatim, nested }: ValueForm): Reading<boolean> {
    if (!this.begin(name)) return false;
    const isText = isTextParameter(this.tool, name) ?? said;
    if (padded) yield* text.literal('\n');
    const isVerbatim = verbatim !== undefined && (yield* text.literal(verbatim[0]));
    const ends = isVerbatim ? [verbatim[1]] : [...(padded ? [`\n${end}`] : []), end];
    const whole =
      isText === true
        ? yield* this.#text(text, ends, isVerbatim ? undefined : verbatim?.[0])
        : yield* this.#plain(text, ends, { name, nested });
    if (!isVerbatim || !whole) return whole;
    yield* text.skipSpace();
    return yield* text.literal(end);
  }

  end(): void {
    this.sink.args(this.#names.size === 0 ? '{}' : '}');
    this.sink.close();
  }

  /** @param other a mark that only counts at the beginning of a text; an incomplete one is held back. */
  *#text(text: AnswerText, ends: readonly string[], other: string | undefined): Reading<boolean> {
    this.json('"');
    const give = (piece: string): void => this.json(JSON.stringify(piece).slice(1, -1));
    for (;;) {
      const mark = yield* text.until(other === undefined ? ends : [...ends, other], give, false);
      if (mark === null) return false;
      if (mark !== other) break;
      give(mark);
    }
    this.json('"');
    return true;
  }

  *#plain(text: AnswerText, ends: readonly string[], { name, nested }: Pick<ValueForm, 'nested'> & { name: string }): Reading<boolean> {
    let value = '';
    const whole = (yield* text.until(ends, (piece) => (value += piece))) !== null;
    const schema = schemaOf(this.tool, name);
    if (whole) this.json(nested?.(value, schema) ?? jsonOfPlain(value, isTextSchema(schema)));
    return whole;
  }
}
