import type { Tool } from '@slipway/contracts';
import type { AnswerText, Reading } from './answer-text.js';
import type { CallFamily, CallFinder, ParameterRule, ToolRule } from './call-family.js';
import { type CallOutcome, readBehind } from './call-objects.js';
import { freeBehindMarks } from './free-answer.js';
import { gbnfText, gbnfUntil } from './gbnf-text.js';
import { parametersRule, TaggedArguments, valueRule } from './tagged-values.js';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const KEY = '<arg_key>';
const KEY_END = '</arg_key>';
const VALUE = '<arg_value>';
const VALUE_END = '</arg_value>';
const LONGEST_NAME = 256;

/** What stands behind the name or a pair: whether it ends the call; null = neither of the two. */
function* endsCall(text: AnswerText): Reading<boolean | null> {
  yield* text.skipSpace();
  if (yield* text.literal(CLOSE)) return true;
  return (yield* text.literal(KEY)) ? false : null;
}

function* readPairs(text: AnswerText, sink: CallFinder, tools: readonly Tool[]): Reading<CallOutcome> {
  const name = yield* text.word(/[\w.-]/, LONGEST_NAME);
  if (name === null || !sink.offers(name)) return 'none';
  let ends = yield* endsCall(text);
  if (ends === null) return 'none';
  sink.begin(name);
  const args = new TaggedArguments(
    sink,
    tools.find((tool) => tool.name === name),
  );
  while (ends === false) {
    const key = yield* text.word(/[^<\n]/, LONGEST_NAME);
    if (key === null || !(yield* text.literal(KEY_END))) return 'broken';
    yield* text.skipSpace();
    if (!(yield* text.literal(VALUE)) || !(yield* args.value(text, key, VALUE_END))) return 'broken';
    ends = yield* endsCall(text);
  }
  if (ends === null) return 'broken';
  args.end();
  return 'done';
}

/** `<tool_call>name<arg_key>key</arg_key><arg_value>value</arg_value></tool_call>`: GLM 4.5 and later. */
export const GLM: CallFamily = {
  name: 'glm',
  marks: [OPEN, CLOSE, KEY, KEY_END, VALUE, VALUE_END],
  knows: (template) => template.includes(KEY) && template.includes(VALUE),
  *read(text, sink, tools) {
    while ((yield* text.until([OPEN], (piece) => sink.text(piece))) !== null) {
      const outcome = yield* readBehind(text, sink, OPEN, function* (calls) {
        yield* text.skipSpace();
        return yield* readPairs(text, calls, tools);
      });
      if (outcome === 'broken') return;
    }
  },
  form: {
    open: OPEN,
    lead: '',
    rest: (tools) => callRule(tools),
    free: (tools) => freeBehindMarks([[OPEN]], callRule(tools)),
    again: '\n',
    byParameter: true,
    rules: gbnfUntil('parameter-text', VALUE_END),
  },
};

const parameterForm = (parameter: ParameterRule): string => {
  const head = gbnfText(`${KEY}${parameter.name}${KEY_END}\n${VALUE}`);
  return `${head} ${valueRule(parameter, 'parameter-text', { text: '\n', value: `${VALUE_END}\n` })}`;
};

const callRule = (tools: readonly ToolRule[]): string => `(${tools.map(forced).join(' | ')}) ${gbnfText(CLOSE)}`;

const forced = ({ tool, parameters }: ToolRule): string =>
  [gbnfText(`${tool.name}\n`), parametersRule(parameters, parameterForm)].filter((part) => part !== '').join(' ');
