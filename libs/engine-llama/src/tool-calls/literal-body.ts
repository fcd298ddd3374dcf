import type { Tool } from '@slipway/contracts';
import type { AnswerText, Reading } from './answer-text.js';
import type { CallBody } from './call-body.js';
import type { CallFinder, ParameterRule, ToolRule } from './call-family.js';
import type { CallOutcome } from './call-objects.js';
import { gbnfText, gbnfUntil } from './gbnf-text.js';
import { readString } from './json-reading.js';
import { type LiteralForm, PYTHON_LITERALS, readLiteral } from './literal-values.js';
import { isTextParameter, TaggedArguments } from './tagged-values.js';

const LONGEST_NAME = 256;
const TEXT = 'literal-text';

/** A call as `name(key=value, …)` or `name{key:value,…}`. */
interface LiteralShape {
  readonly brackets: readonly [open: string, close: string];
  /** Between a key and its value. */
  readonly is: string;
  readonly comma: string;
  readonly literals: LiteralForm;
}

/** Reads from the name to the closing bracket. */
function* readCall(text: AnswerText, sink: CallFinder, tools: readonly Tool[], shape: LiteralShape): Reading<CallOutcome> {
  const name = yield* text.word(/[\w.-]/, LONGEST_NAME);
  const tool = tools.find((each) => each.name === name);
  if (name === null || !sink.offers(name) || !(yield* text.literal(shape.brackets[0]))) return 'none';
  sink.begin(name);
  const args = new TaggedArguments(sink, tool);
  let isOpen = true;
  while (isOpen) {
    yield* text.skipSpace();
    if (yield* text.literal(shape.brackets[1])) break;
    if (!(yield* readPair(text, args, tool, shape))) return 'broken';
    yield* text.skipSpace();
    isOpen = yield* text.literal(',');
    if (!isOpen && !(yield* text.literal(shape.brackets[1]))) return 'broken';
  }
  args.end();
  return 'done';
}

/** A key and its value. */
function* readPair(text: AnswerText, args: TaggedArguments, tool: Tool | undefined, { is, literals }: LiteralShape): Reading<boolean> {
  const key = (yield* readString(text)) ?? (yield* text.word(/[^\s=:,(){}"]/, LONGEST_NAME));
  yield* text.skipSpace();
  if (key === null || key === '' || !(yield* text.literal(is))) return false;
  yield* text.skipSpace();
  return yield* readArgument(text, args, { key, isText: isTextParameter(tool, key), literals });
}

interface Argument {
  readonly key: string;
  readonly isText: boolean | null;
  readonly literals: LiteralForm;
}

function* readArgument(text: AnswerText, args: TaggedArguments, { key, isText, literals }: Argument): Reading<boolean> {
  const { quote } = literals;
  if (quote !== null && (yield* text.literal(quote))) {
    // Text is passed on at once.
    return yield* args.value(text, key, { end: quote, padded: false, isText: true });
  }
  if (!args.begin(key)) return false;
  const json = yield* readLiteral(text, literals);
  if (json === null) return false;
  args.json(isText === true && !json.startsWith('"') ? JSON.stringify(json) : json);
  return true;
}

/** `[name(key="text", n=1), …]`, with Python or JSON literals. */
export function pythonBody(): CallBody {
  const shape: LiteralShape = { brackets: ['(', ')'], is: '=', comma: ', ', literals: PYTHON_LITERALS };
  return {
    style: 'values',
    marks: [],
    rules: '',
    *read(text, sink, tools) {
      if (!(yield* text.literal('['))) return yield* readCall(text, sink, tools, shape);
      for (let calls = 0; ; calls += 1) {
        yield* text.skipSpace();
        const outcome = yield* readCall(text, sink, tools, shape);
        if (outcome !== 'done') {
          if (outcome === 'none' && calls > 0) sink.broken();
          return calls > 0 ? 'broken' : outcome;
        }
        yield* text.skipSpace();
        const next = yield* text.next();
        if (next === ']' || next === '') return 'done';
        if (next === ',') continue;
        sink.broken();
        return 'broken';
      }
    },
    rule: (tools, many) => {
      const call = `(${tools.map((tool, i) => callRule(tool, i, shape)).join(' | ')})`;
      const more = many ? ` (${gbnfText(', ')} ${call})*` : '';
      return `${gbnfText('[')} ${call}${more} ${gbnfText(']')}`;
    },
    extra: (tools) => tools.map((tool, i) => argumentRules(tool, i, shape, jsonForm(shape))).join(''),
  };
}

/** `name{key:value,…}` with texts between special marks. */
export function markedDictBody(quote: string): CallBody {
  const shape: LiteralShape = { brackets: ['{', '}'], is: ':', comma: ',', literals: { quote } };
  const form = ({ name, value, begins, isText }: ParameterRule): string => {
    const head = gbnfText(`${name}:${isText ? quote : ''}`);
    if (value !== null) return isText ? `${head} ${value} ${gbnfText(quote)}` : `${head} ${value}`;
    return [head, ...(begins === null ? [] : [begins]), TEXT].join(' ');
  };
  return {
    style: 'texts',
    marks: [quote],
    rules: gbnfUntil(TEXT, quote),
    read: (text, sink, tools) => readCall(text, sink, tools, shape),
    rule: (tools) => `(${tools.map((tool, i) => callRule(tool, i, shape)).join(' | ')})`,
    extra: (tools) => tools.map((tool, i) => argumentRules(tool, i, shape, form)).join(''),
  };
}

const jsonForm =
  ({ is }: LiteralShape) =>
  ({ name, value }: ParameterRule): string =>
    `${gbnfText(name + is)} ${value ?? ''}`;

const callRule = ({ tool }: ToolRule, index: number, { brackets: [open, close] }: LiteralShape): string =>
  `${gbnfText(tool.name + open)} call-${index}-first-0 ${gbnfText(close)}`;

/** Rules of a tool's arguments in the order of its schema, with commas between the present ones. */
function argumentRules(
  { parameters }: ToolRule,
  index: number,
  { comma }: LiteralShape,
  form: (parameter: ParameterRule) => string,
): string {
  const rules = parameters.map((parameter, i) => {
    const [argument, first, rest] = [`call-${index}-${i}`, `call-${index}-first-${i}`, `call-${index}-rest-${i}`];
    const behind = `call-${index}-rest-${i + 1}`;
    const otherwise = parameter.required ? '' : ` | call-${index}-first-${i + 1}`;
    const one = `${gbnfText(comma)} ${argument}`;
    return `${argument} ::= ${form(parameter)}
${first} ::= ${argument} ${behind}${otherwise}
${rest} ::= ${parameter.required ? one : `(${one})?`} ${behind}
`;
  });
  const end = parameters.length;
  return `${rules.join('')}call-${index}-first-${end} ::= ""\ncall-${index}-rest-${end} ::= ""\n`;
}
