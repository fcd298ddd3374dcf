import type { Tool } from '@slipway/contracts';
import type { AnswerText, Reading } from './answer-text.js';
import type { CallBody } from './call-body.js';
import type { CallFinder, ParameterRule, ToolRule } from './call-family.js';
import type { CallOutcome } from './call-objects.js';
import { readSteps, type Step, stepsRule, textsOf } from './call-steps.js';
import { gbnfText, gbnfUntil } from './gbnf-text.js';
import { schemaOf, TaggedArguments } from './tagged-values.js';

const LONGEST_KEY = 256;
const TEXT = 'parameter-text';

/** Format of parameters between tags, with texts without quotes. */
export interface TaggedShape {
  /** Steps between the mark of the call and its first parameter. */
  readonly head: readonly Step[];
  /** Text before a parameter's name. */
  readonly open: string;
  readonly key: RegExp;
  /** Text between a parameter's name and value. `{type}` = the word for the type of the value. */
  readonly after: string;
  /** Words for `{type}` by JSON type; those for `text` mean text. */
  readonly types?: Readonly<Record<string, string>>;
  /** Text after a value. `{key}` = the parameter's name. */
  readonly close: string;
  /** Text after the last parameter. */
  readonly end: string;
  /** White space after the head and after each parameter. */
  readonly gap: string;
  /** Line breaks at both ends of a value are not part of it; `both` = forced calls contain them. */
  readonly padded?: 'read' | 'both';
  /** Marks around a text that contains the closing tag. */
  readonly verbatim?: readonly [open: string, close: string];
  /** JSON of an object or list written in tags; null = not in tags. */
  readonly nested?: (value: string, schema: unknown) => string | null;
}

/** The body of calls with parameters between tags. */
export function taggedBody(shape: TaggedShape): CallBody {
  const fixed = shape.close.split('{key}')[0] ?? '';
  return {
    style: 'texts',
    marks: [...textsOf(shape.head), shape.open, shape.after, shape.close, shape.end, ...(shape.verbatim ?? [])],
    rules: gbnfUntil(TEXT, fixed),
    read: (text, sink, tools) => readTagged(text, sink, tools, shape),
    rule: (tools) => `(${tools.map((tool) => toolRule(tool, shape)).join(' | ')})`,
  };
}

function* readTagged(text: AnswerText, sink: CallFinder, tools: readonly Tool[], shape: TaggedShape): Reading<CallOutcome> {
  const head = yield* readSteps(text, sink, shape.head);
  if (head === null) return 'none';
  const tool = tools.find(({ name }) => name === head.name);
  let args: TaggedArguments | null = null;
  for (;;) {
    yield* text.skipSpace();
    const ends = yield* text.literal(shape.end);
    if (!ends && !(yield* text.literal(shape.open))) return args ? 'broken' : 'none';
    // A name without a tag is not a call.
    if (!args) sink.begin(head.name, head.id);
    args ??= new TaggedArguments(sink, tool);
    if (ends) break;
    if (!(yield* readParameter(text, args, shape))) return 'broken';
  }
  args.end();
  return 'done';
}

function* readParameter(text: AnswerText, args: TaggedArguments, shape: TaggedShape): Reading<boolean> {
  const key = yield* text.word(shape.key, LONGEST_KEY);
  if (key === null) return false;
  const [before = '', behind] = shape.after.split('{type}');
  let isText: boolean | null = null;
  if (!(yield* spaced(text, before))) return false;
  if (behind !== undefined) {
    const word = yield* text.word(/\w/, LONGEST_KEY);
    if (word === null || !(yield* spaced(text, behind))) return false;
    isText = word === shape.types?.['text'];
  }
  const { verbatim, nested } = shape;
  const padded = shape.padded !== undefined;
  return yield* args.value(text, key, { end: shape.close.replace('{key}', key), padded, isText, verbatim, nested });
}

/** Reads a text with any number of line breaks. */
function* spaced(text: AnswerText, expected: string): Reading<boolean> {
  for (const part of expected.split(/\s*\n\s*/)) {
    if (part === '') continue;
    if (!(yield* text.literal(part))) {
      yield* text.skipSpace();
      if (!(yield* text.literal(part))) return false;
    }
  }
  return true;
}

function toolRule({ tool, parameters }: ToolRule, shape: TaggedShape): string {
  const form = (parameter: ParameterRule): string => parameterRule(parameter, tool, shape);
  const list = parameters.map((parameter) => (parameter.required ? form(parameter) : `(${form(parameter)})?`));
  const head = stepsRule(shape.head, tool.name);
  const gap = shape.gap === '' ? [] : [gbnfText(shape.gap)];
  return [head, ...gap, ...list, gbnfText(shape.end)].filter((part) => part !== '').join(' ');
}

function parameterRule({ name, value, begins, isText }: ParameterRule, tool: Tool, { types, ...shape }: TaggedShape): string {
  const padded = shape.padded === 'both';
  const words = types ? typeWords(isText, schemaOf(tool, name), types) : [''];
  const starts = words.map((word) => gbnfText(`${shape.open}${name}${shape.after.replace('{type}', word)}${padded ? '\n' : ''}`));
  const head = starts.length === 1 ? (starts[0] ?? '') : `(${starts.join(' | ')})`;
  const [fixed = '', ...more] = shape.close.split('{key}');
  const tail = (more.length > 0 ? `${name}${more.join('')}` : '') + shape.gap;
  if (value !== null) return `${head} ${value} ${gbnfText((padded ? '\n' : '') + fixed + tail)}`;
  return [head, ...(begins === null ? [] : [begins]), TEXT, ...(tail === '' ? [] : [gbnfText(tail)])].join(' ');
}

/** All words for types. */
function typeWords(isText: boolean, schema: unknown, types: Readonly<Record<string, string>>): string[] {
  const { text = '', ...others } = types;
  if (isText) return [text];
  const type = (schema as { type?: unknown } | null)?.type;
  const word = typeof type === 'string' ? others[type] : undefined;
  return word === undefined ? [...new Set(Object.values(others))] : [word];
}
