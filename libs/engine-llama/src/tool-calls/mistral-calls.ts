import type { AnswerText, Reading } from './answer-text.js';
import type { CallFamily, CallFinder, ToolRule } from './call-family.js';
import { callListRule, callObjectRule, type CallKeys, type CallOutcome, readBehind, readCallList } from './call-objects.js';
import { freeBehindMarks } from './free-answer.js';
import { gbnfText } from './gbnf-text.js';
import { readArguments } from './json-reading.js';

const OPEN = '[TOOL_CALLS]';
const ARGS = '[ARGS]';
const ID = '[CALL_ID]';
const KEYS: CallKeys = { name: ['name'], args: ['arguments'], id: ['id'] };
const LONGEST_NAME = 256;

/** `name[CALL_ID]id[ARGS]{…}`, id and marks as the model likes. */
function* readNamed(text: AnswerText, sink: CallFinder): Reading<CallOutcome> {
  const name = yield* text.word(/[\w.-]/, LONGEST_NAME);
  if (name === null || !sink.offers(name)) return 'none';
  const id = (yield* text.literal(ID)) ? yield* text.word(/\w/, LONGEST_NAME) : null;
  yield* text.literal(ARGS);
  yield* text.skipSpace();
  if ((yield* text.peek()) !== '{') return 'none';
  sink.begin(name, id === null || id === '' ? undefined : id);
  if (!(yield* readArguments(text, (piece) => sink.args(piece)))) return 'broken';
  sink.close();
  return 'done';
}

function mistralFamily(name: string, knows: CallFamily['knows'], form: CallFamily['form']): CallFamily {
  return {
    name,
    marks: [OPEN, ARGS, ID],
    idLength: 9,
    knows,
    *read(text, sink) {
      while ((yield* text.until([OPEN], (piece) => sink.text(piece))) !== null) {
        const outcome = yield* readBehind(text, sink, OPEN, function* (calls) {
          yield* text.skipSpace();
          const objects = ['[', '{'].includes(yield* text.peek());
          return objects ? yield* readCallList(text, calls, KEYS) : yield* readNamed(text, calls);
        });
        if (outcome === 'broken') return;
      }
    },
    form,
  };
}

const listRule = (tools: readonly ToolRule[], many: boolean): string => callListRule(callObjectRule(tools, 'name', 'arguments'), many);
const namedRule = (tools: readonly ToolRule[]): string =>
  `(${tools.map(({ tool, args }) => `${gbnfText(tool.name + ARGS)} ${args}`).join(' | ')})`;

/** `[TOOL_CALLS][{"name": …, "arguments": {…}}]`: Mistral and Mixtral up to 2024. Both forms are understood. */
export const MISTRAL = mistralFamily('mistral', (template) => template.includes(OPEN), {
  open: OPEN,
  lead: '',
  rest: listRule,
  free: (tools, many) => freeBehindMarks([[OPEN]], listRule(tools, many)),
  again: null,
});

/** `[TOOL_CALLS]name[ARGS]{…}`: Mistral Small 3.2, Magistral, Devstral. */
export const MISTRAL_NAMED = mistralFamily('mistral-named', (template) => template.includes(OPEN) && template.includes(ARGS), {
  open: OPEN,
  lead: '',
  rest: namedRule,
  free: (tools) => freeBehindMarks([[OPEN]], namedRule(tools)),
  again: '',
});
