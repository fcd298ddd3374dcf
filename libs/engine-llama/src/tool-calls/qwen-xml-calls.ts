import type { Tool } from '@slipway/contracts';
import type { AnswerText, Reading } from './answer-text.js';
import type { CallFamily, CallFinder, ParameterRule, ToolRule } from './call-family.js';
import { type CallOutcome, readBehind } from './call-objects.js';
import { freeBehindMarks } from './free-answer.js';
import { gbnfText, gbnfUntil } from './gbnf-text.js';
import { parametersRule, TaggedArguments, valueRule } from './tagged-values.js';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const FUNCTION = '<function=';
const FUNCTION_END = '</function>';
const PARAMETER = '<parameter=';
const PARAMETER_END = '</parameter>';
const LONGEST_NAME = 256;

/** From behind `<function=` to behind `</function>`. */
function* readFunction(text: AnswerText, sink: CallFinder, tools: readonly Tool[]): Reading<CallOutcome> {
  const name = yield* text.word(/[^>\s<]/, LONGEST_NAME);
  if (name === null || !sink.offers(name) || !(yield* text.literal('>'))) return 'none';
  sink.begin(name);
  const args = new TaggedArguments(
    sink,
    tools.find((tool) => tool.name === name),
  );
  for (;;) {
    yield* text.skipSpace();
    if (yield* text.literal(FUNCTION_END)) break;
    if (!(yield* text.literal(PARAMETER))) return 'broken';
    const parameter = yield* text.word(/[^>\n]/, LONGEST_NAME);
    if (parameter === null || !(yield* text.literal('>'))) return 'broken';
    if (!(yield* args.value(text, parameter, PARAMETER_END))) return 'broken';
  }
  args.end();
  return 'done';
}

/** `<tool_call><function=name><parameter=key>value</parameter></function></tool_call>`: Qwen 3 Coder and its kin. */
export const QWEN_XML: CallFamily = {
  name: 'qwen-xml',
  marks: [OPEN, CLOSE],
  knows: (template) => template.includes(FUNCTION) && template.includes(PARAMETER),
  *read(text, sink, tools) {
    for (;;) {
      // Some answers leave the outer mark out.
      const mark = yield* text.until([OPEN, FUNCTION], (piece) => sink.text(piece));
      if (mark === null) return;
      const outcome = yield* readBehind(text, sink, mark, function* (calls) {
        yield* text.skipSpace();
        if (mark === OPEN && !(yield* text.literal(FUNCTION))) return 'none';
        return yield* readFunction(text, calls, tools);
      });
      if (outcome === 'broken') return;
      if (outcome === 'none') continue;
      yield* text.skipSpace();
      yield* text.literal(CLOSE);
    }
  },
  form: {
    open: OPEN,
    lead: '\n',
    rest: (tools) => `${gbnfText(FUNCTION)} (${tools.map(functionRule).join(' | ')}) ${gbnfText(`\n${CLOSE}`)}`,
    free: (tools) => freeBehindMarks([[OPEN, FUNCTION], [FUNCTION]], tools.map(functionRule).join(' | ')),
    again: '\n',
    byParameter: true,
    rules: gbnfUntil('parameter-text', PARAMETER_END),
  },
};

const parameterForm = (parameter: ParameterRule): string => {
  const head = gbnfText(`${PARAMETER}${parameter.name}>\n`);
  return `${head} ${valueRule(parameter, 'parameter-text', { text: '\n', value: `\n${PARAMETER_END}\n` })}`;
};

const functionRule = ({ tool, parameters }: ToolRule): string =>
  [gbnfText(`${tool.name}>\n`), parametersRule(parameters, parameterForm), gbnfText(FUNCTION_END)].filter((part) => part !== '').join(' ');
