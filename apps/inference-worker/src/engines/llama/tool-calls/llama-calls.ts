import type { CallFamily } from './call-family.js';
import { callObjectRule, type CallKeys, readBehind, readCallObject } from './call-objects.js';

const TAG = '<|python_tag|>';
const BETWEEN = /^[\s;]$/;

/**
 * `{"name": …, "parameters": {…}}` as the whole answer: Llama 3.1 to 3.3. No mark announces a call, so only an object that
 * names a tool of the request is one.
 */
export const LLAMA_JSON: CallFamily = {
  name: 'llama-json',
  marks: [TAG],
  knows: (template) =>
    /"parameters":/.test(template) && /"name":/.test(template) && /<\|start_header_id\|>|<\|header_start\|>/.test(template),
  *read(text, sink, tools) {
    const keys: CallKeys = {
      name: ['name'],
      args: ['parameters', 'arguments'],
      id: ['id'],
      accepts: (name) => tools.some((tool) => tool.name === name),
    };
    for (;;) {
      const outcome = yield* readBehind(text, sink, '', function* (calls) {
        while (BETWEEN.test(yield* text.peek())) yield* text.next();
        yield* text.literal(TAG);
        yield* text.skipSpace();
        return yield* readCallObject(text, calls, keys);
      });
      if (outcome === 'broken') return;
      if (outcome === 'none') break;
    }
    yield* text.until([], (piece) => sink.text(piece));
  },
  form: { open: '', lead: '', rest: (tools) => callObjectRule(tools, 'name', 'parameters'), again: null },
};
