import type { Tool } from '@slipway/contracts';
import type { AnswerText, Reading } from './answer-text.js';
import type { CallSink, ParameterRule } from './call-family.js';
import { gbnfText } from './gbnf-text.js';
import { parsed } from './json-reading.js';

const PYTHON_WORDS: Readonly<Record<string, string>> = { True: 'true', False: 'false', None: 'null' };

/** Whether the schema of a tool says that this parameter is text; null = it says nothing about it. */
export function isTextParameter(tool: Tool | undefined, name: string): boolean | null {
  const properties = tool?.parameters?.['properties'];
  if (typeof properties !== 'object' || properties === null) return null;
  const schema: unknown = (properties as Record<string, unknown>)[name];
  if (typeof schema !== 'object' || schema === null) return null;
  const { type, enum: options, const: only } = schema as { type?: unknown; enum?: unknown; const?: unknown };
  if (only !== undefined) return typeof only === 'string';
  if (Array.isArray(options)) return options.every((option) => typeof option === 'string');
  return type === undefined ? null : type === 'string';
}

/** JSON of a value that a model wrote as plain text. What reads as JSON is JSON, unless the schema says text. */
function jsonOfPlain(value: string, isText: boolean | null): string {
  const word = PYTHON_WORDS[value.trim()] ?? value.trim();
  return isText === true || parsed(word) === undefined ? JSON.stringify(value) : word;
}

/** Arguments of a call that a model writes one by one, joined to JSON text of an object. */
export class TaggedArguments {
  #count = 0;

  constructor(
    private readonly sink: CallSink,
    private readonly tool: Tool | undefined,
  ) {}

  /**
   * Reads the value of a parameter up to `end`; line breaks at both of its ends belong to the form.
   * @returns whether `end` came.
   */
  *value(text: AnswerText, name: string, end: string): Reading<boolean> {
    const isText = isTextParameter(this.tool, name);
    this.sink.args(`${this.#count === 0 ? '{' : ', '}${JSON.stringify(name)}: `);
    this.#count += 1;
    yield* text.literal('\n');
    if (isText !== true) {
      let value = '';
      const whole = (yield* text.until([`\n${end}`, end], (piece) => (value += piece))) !== null;
      if (whole) this.sink.args(jsonOfPlain(value, isText));
      return whole;
    }
    this.sink.args('"');
    const give = (piece: string): void => this.sink.args(JSON.stringify(piece).slice(1, -1));
    const whole = (yield* text.until([`\n${end}`, end], give, false)) !== null;
    if (whole) this.sink.args('"');
    return whole;
  }

  end(): void {
    this.sink.args(this.#count === 0 ? '{}' : '}');
    this.sink.close();
  }
}

/** GBNF of the value of a parameter and of the mark behind it. `text` = the rule of any text up to and including the mark `end`. */
export function valueRule({ value, begins }: ParameterRule, text: string, end: { readonly text: string; readonly value: string }): string {
  if (value !== null) return `${value} ${gbnfText(end.value)}`;
  return [...(begins === null ? [] : [begins]), text, gbnfText(end.text)].join(' ');
}

/** GBNF of the parameters of a tool in the order of its schema; `form` writes one of them. */
export const parametersRule = (parameters: readonly ParameterRule[], form: (parameter: ParameterRule) => string): string =>
  parameters.map((parameter) => (parameter.required ? form(parameter) : `(${form(parameter)})?`)).join(' ');
