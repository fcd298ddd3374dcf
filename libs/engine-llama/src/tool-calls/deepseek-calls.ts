import type { AnswerText, Reading } from './answer-text.js';
import type { CallFamily, CallFinder, ToolRule } from './call-family.js';
import { type CallOutcome, readBehind } from './call-objects.js';
import { freeBehindMarks } from './free-answer.js';
import { gbnfText } from './gbnf-text.js';
import { readArguments } from './json-reading.js';

const LIST = '<｜tool▁calls▁begin｜>';
const LIST_END = '<｜tool▁calls▁end｜>';
const CALL = '<｜tool▁call▁begin｜>';
const CALL_END = '<｜tool▁call▁end｜>';
const BEHIND_NAME = '<｜tool▁sep｜>';
const LONGEST_NAME = 256;

/** `name<sep>{…}` since V3.1; `function<sep>name` and the arguments in a fenced block before. */
function* readCall(text: AnswerText, sink: CallFinder): Reading<CallOutcome> {
  const first = yield* text.word(/[\w.-]/, LONGEST_NAME);
  if (first === null || first === '' || !(yield* text.literal(BEHIND_NAME))) return 'none';
  yield* text.skipSpace();
  const fenced = (yield* text.peek()) !== '{';
  const name = fenced ? yield* text.word(/[\w.-]/, LONGEST_NAME) : first;
  if (name === null || !sink.offers(name)) return 'none';
  if (fenced) {
    yield* text.skipSpace();
    if (!(yield* text.literal('```json'))) return 'none';
    yield* text.skipSpace();
  }
  sink.begin(name);
  if (!(yield* readArguments(text, (piece) => sink.args(piece)))) return 'broken';
  sink.close();
  yield* text.skipSpace();
  if (fenced && (yield* text.literal('```'))) yield* text.skipSpace();
  yield* text.literal(CALL_END);
  return 'done';
}

/** What stands around the arguments. */
interface DeepseekForm {
  readonly name: string;
  readonly knows: CallFamily['knows'];
  readonly head: (tool: string) => string;
  readonly tail: string;
}

function deepseekFamily({ name, knows, head, tail }: DeepseekForm): CallFamily {
  const forced = ({ tool, args }: ToolRule): string => `${gbnfText(CALL + head(tool.name))} ${args} ${gbnfText(tail + CALL_END)}`;
  const free = ({ tool, args }: ToolRule): string => `${gbnfText(head(tool.name))} ${args}`;
  return {
    name,
    marks: [LIST, LIST_END, CALL, CALL_END, BEHIND_NAME],
    knows,
    *read(text, sink) {
      for (;;) {
        const mark = yield* text.until([LIST, CALL], (piece) => sink.text(piece));
        if (mark === null) return;
        const outcome = yield* readBehind(text, sink, mark, function* (calls) {
          yield* text.skipSpace();
          if (mark === LIST && !(yield* text.literal(CALL))) return 'none';
          return yield* readCall(text, calls);
        });
        if (outcome === 'broken') return;
        if (outcome === 'none') continue;
        yield* text.skipSpace();
        yield* text.literal(LIST_END);
      }
    },
    form: {
      open: LIST,
      lead: '',
      rest: (tools, many) => {
        const call = `(${tools.map(forced).join(' | ')})`;
        return many ? `${call} (${gbnfText('\n')} ${call})* ${gbnfText(LIST_END)}` : `${call} ${gbnfText(LIST_END)}`;
      },
      free: (tools) => freeBehindMarks([[LIST, CALL], [CALL]], tools.map(free).join(' | ')),
      again: null,
    },
  };
}

/** `function<sep>name` and a fenced block: DeepSeek V3 and R1. Both forms are understood. */
export const DEEPSEEK_FENCED = deepseekFamily({
  name: 'deepseek-fenced',
  knows: (template) => template.includes(CALL) && template.includes('```json'),
  head: (tool) => `function${BEHIND_NAME}${tool}\n\`\`\`json\n`,
  tail: '\n```',
});

/** `name<sep>{…}`: DeepSeek V3.1 and later. */
export const DEEPSEEK = deepseekFamily({
  name: 'deepseek',
  knows: (template) => template.includes(CALL),
  head: (tool) => tool + BEHIND_NAME,
  tail: '',
});
