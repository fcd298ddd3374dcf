import type { Random } from '../engines/random.js';
import { addSome, type Body, image, type Optional, schema, toolNames, words } from './valid-parts.js';

const FIELDS: readonly Optional[] = [
  ['temperature', 0, 0.5, 2, null],
  ['top_p', 0, 0.9, 1],
  ['max_output_tokens', 1, 100, 2 ** 31, null],
  ['include', [], ['reasoning.encrypted_content'], ['message.output_text.logprobs', 'file_search_call.results']],
  ['top_logprobs', 0, 5],
  ['reasoning', {}, { effort: 'low', summary: 'auto' }, { effort: null }],
  ['store', true, false, null],
  ['metadata', {}, { a: 'b' }, null],
  ['truncation', 'auto', 'disabled'],
  [
    'text',
    {},
    { verbosity: 'low' },
    { format: { type: 'text' } },
    { format: { type: 'json_schema', name: 'x', schema: { type: 'object' } } },
  ],
  ['prompt_cache_key', 'k'],
  ['client_metadata', { a: 1 }],
  ['background', false],
  ['previous_response_id', null],
  ['stop', 'END', ['a', 'b'], null],
  ['some_future_field', 1, { deep: [[]] }],
];

const textPart = (random: Random): Body => ({ type: 'input_text', text: words(random) });
const imagePart = (random: Random): Body => {
  const { type, data } = image(random);
  return { type: 'input_image', image_url: `data:image/${type};base64,${data}`, detail: random.pick(['auto', 'low']) };
};

const user = (random: Random): Body => ({
  ...(random.chance(0.5) && { type: 'message' }),
  role: 'user',
  content: random.chance(0.5) ? words(random) : random.times(random.int(1, 3), () => random.pick([textPart, textPart, imagePart])(random)),
});

const reasoning = (random: Random): Body => ({
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: words(random) }],
  ...(random.chance(0.5) && { encrypted_content: random.pick(['gAAA', 'slw1:aGk=', null]), content: null }),
});

const answer = (random: Random): Body => ({
  type: 'message',
  role: 'assistant',
  id: 'msg_1',
  status: random.pick(['completed', null]),
  content: random.chance(0.5) ? words(random) : [{ type: 'output_text', text: words(random), annotations: [] }],
});

function calls(random: Random, at: number): Body[] {
  const ids = random.times(random.int(1, 2), (i) => `call_${at}_${i}`);
  const made = ids.map((id) =>
    random.chance(0.7)
      ? { type: 'function_call', call_id: id, name: random.pick(toolNames(random)), arguments: random.pick(['{}', '{"city":"Paris"}', '']) }
      : { type: 'custom_tool_call', call_id: id, name: 'patch', input: words(random) },
  );
  const returned = made.map(({ type, call_id: id }) => ({
    type: `${type}_output`,
    call_id: id,
    output: random.chance(0.6) ? words(random) : [textPart(random), imagePart(random)],
  }));
  return [...(random.chance(0.4) ? [reasoning(random)] : []), ...(random.chance(0.4) ? [answer(random)] : []), ...made, ...returned];
}

function turn(random: Random, at: number): Body[] {
  if (random.chance(0.3)) return calls(random, at);
  return [user(random), ...(random.chance(0.3) ? [reasoning(random)] : []), answer(random)];
}

function functionTool(random: Random, name: string): Body {
  return {
    ...{ type: 'function', name, parameters: random.chance(0.9) ? { ...schema(random), type: 'object' } : null },
    ...(random.chance(0.5) && { description: words(random), strict: random.pick([true, false, null]) }),
  };
}

function addTools(random: Random, body: Body): void {
  const names = toolNames(random);
  body['tools'] = [
    ...names.map((name) => functionTool(random, name)),
    ...(random.chance(0.3)
      ? [{ type: 'custom', name: 'patch', format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' } }]
      : []),
    ...(random.chance(0.3)
      ? [{ type: 'namespace', name: 'mcp', description: 'd', tools: names.map((name) => functionTool(random, name)) }]
      : []),
    ...(random.chance(0.3) ? [{ type: 'web_search' }] : []),
  ];
  addSome(random, body, 0.5, [
    ['tool_choice', 'auto', 'none', 'required', { type: 'function', name: names[0] }, null],
    ['parallel_tool_calls', true, false, null],
  ]);
}

/** A body of the responses contract that a deployment which can everything answers. */
export function responsesBody(random: Random, model: string): Body {
  const turns = random.times(random.int(0, 3), (at) => turn(random, at)).flat();
  const developer = random.chance(0.2) ? [{ type: 'message', role: 'developer', content: [textPart(random)] }] : [];
  const body: Body = { model, input: random.chance(0.3) ? words(random) : [...developer, ...turns, user(random)] };
  addSome(random, body, 0.3, [['instructions', words(random), null]]);
  addSome(random, body, 0.12, FIELDS);
  if (random.chance(0.4)) addTools(random, body);
  if (random.chance(0.5)) body['stream'] = true;
  return body;
}
