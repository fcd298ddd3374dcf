import type { CallFamily } from './call-family.js';
import { callObjectRule, type CallKeys, readBehind, readCallObject } from './call-objects.js';
import { freeBehindMarks } from './free-answer.js';
import { gbnfText } from './gbnf-text.js';

const OPEN = '<tool_call>';
const CLOSE = '</tool_call>';
const KEYS: CallKeys = { name: ['name'], args: ['arguments', 'parameters'], id: ['id'] };

/** `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, once for each call: Hermes, Qwen 2.5 and 3, and most ChatML models. */
export const HERMES: CallFamily = {
  name: 'hermes',
  marks: [OPEN, CLOSE],
  knows: (template) => template.includes(OPEN) && template.includes(CLOSE),
  *read(text, sink) {
    while ((yield* text.until([OPEN], (piece) => sink.text(piece))) !== null) {
      const outcome = yield* readBehind(text, sink, OPEN, function* (calls) {
        yield* text.skipSpace();
        return yield* readCallObject(text, calls, KEYS);
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
    rest: (tools) => `${callObjectRule(tools, 'name', 'arguments')} ${gbnfText(`\n${CLOSE}`)}`,
    free: (tools) => freeBehindMarks([[OPEN]], callObjectRule(tools, 'name', 'arguments')),
    again: '\n',
  },
};
