import type { CallFamily, ToolRule } from './call-family.js';
import { callListRule, callObjectRule, type CallKeys, readBehind, readCallList } from './call-objects.js';
import { freeBehindMarks } from './free-answer.js';
import { gbnfText } from './gbnf-text.js';

/** What tells apart the families that write a list of JSON objects behind a mark. */
interface ListShape {
  readonly name: string;
  readonly open: string;
  /** '' = nothing stands behind the list. */
  readonly close: string;
  readonly keys: CallKeys;
  readonly knows: (template: string) => boolean;
}

function listFamily({ name, open, close, keys, knows }: ListShape): CallFamily {
  const [nameKey = 'name'] = keys.name;
  const [argsKey = 'arguments'] = keys.args;
  const list = (tools: readonly ToolRule[], many: boolean): string => callListRule(callObjectRule(tools, nameKey, argsKey), many);
  return {
    name,
    marks: [open, close].filter((mark) => mark !== ''),
    knows,
    *read(text, sink) {
      while ((yield* text.until([open], (piece) => sink.text(piece))) !== null) {
        const outcome = yield* readBehind(text, sink, open, function* (calls) {
          yield* text.skipSpace();
          return yield* readCallList(text, calls, keys);
        });
        if (outcome === 'broken') return;
        if (outcome === 'none' || close === '') continue;
        yield* text.skipSpace();
        yield* text.literal(close);
      }
    },
    form: {
      open,
      lead: '',
      rest: (tools, many) => (close === '' ? list(tools, many) : `${list(tools, many)} ${gbnfText(close)}`),
      free: (tools, many) => freeBehindMarks([[open]], list(tools, many)),
      again: null,
    },
  };
}

/** `<|tool_call|>[{"name": …, "arguments": {…}}]`: Granite 3. */
export const GRANITE = listFamily({
  name: 'granite',
  open: '<|tool_call|>',
  close: '',
  keys: { name: ['name'], args: ['arguments'], id: ['id'] },
  knows: (template) => template.includes('<|tool_call|>') && !template.includes('<|/tool_call|>'),
});

/** `<|tool_call|>[{"name": …, "arguments": {…}}]<|/tool_call|>`: Phi 4 mini. */
export const PHI = listFamily({
  name: 'phi',
  open: '<|tool_call|>',
  close: '<|/tool_call|>',
  keys: { name: ['name'], args: ['arguments', 'parameters'], id: ['id'] },
  knows: (template) => template.includes('<|/tool_call|>'),
});

/** `<|START_ACTION|>[{"tool_name": …, "parameters": {…}}]<|END_ACTION|>`: Command R7B and Command A. */
export const COMMAND = listFamily({
  name: 'command',
  open: '<|START_ACTION|>',
  close: '<|END_ACTION|>',
  keys: { name: ['tool_name', 'name'], args: ['parameters', 'arguments'], id: [] },
  knows: (template) => template.includes('<|START_ACTION|>'),
});
