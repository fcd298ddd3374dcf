import type { Random } from '../engines/random.js';
import { addSome, type Body, image, type Optional, schema, toolNames, words } from './valid-parts.js';

const FIELDS: readonly Optional[] = [
  ['temperature', 0, 0.5, 1, null],
  ['top_p', 0, 0.9, 1],
  ['top_k', 0, 40, null],
  ['stop_sequences', [], ['END'], ['a', 'b', 'c', 'd', 'e', 'f']],
  ['metadata', {}, { user_id: 'u' }, { user_id: null }, null],
  ['service_tier', 'auto', 'standard_only'],
  ['cache_control', { type: 'ephemeral', ttl: '1h' }, null],
  ['context_management', { edits: [{ type: 'clear_thinking_20251015' }] }, null],
  [
    'output_config',
    {},
    { effort: 'low' },
    { effort: null },
    { effort: 'max', format: { type: 'json_schema', schema: { type: 'object', properties: {} } } },
  ],
  ['inference_geo', 'eu'],
  ['speed', 'fast'],
  ['container', null],
  ['mcp_servers', [], null],
  ['betas', ['x']],
  ['some_future_field', 1, { deep: [[]] }],
  ['thread', null],
];

const cached = (random: Random): Body => (random.chance(0.2) ? { cache_control: { type: 'ephemeral' } } : {});
const textBlock = (random: Random): Body => ({ type: 'text', text: words(random), ...cached(random) });

function imageBlock(random: Random): Body {
  const { type, data } = image(random);
  return { type: 'image', source: { type: 'base64', media_type: `image/${type}`, data } };
}

const DOCUMENTS: readonly ((random: Random) => Body)[] = [
  (random) => ({ type: 'document', title: 'A title', source: { type: 'text', media_type: 'text/plain', data: words(random) } }),
  (random) => ({ type: 'document', source: { type: 'content', content: [textBlock(random)] }, context: 'About it' }),
  (random) => ({ type: 'search_result', title: 'Found', source: 'https://example.com', content: [textBlock(random)] }),
];

const userBlock = (random: Random): Body => random.pick([textBlock, textBlock, imageBlock, random.pick(DOCUMENTS)])(random);

const userContent = (random: Random): unknown =>
  random.chance(0.5) ? words(random) : random.times(random.int(1, 3), () => userBlock(random));

function result(random: Random, id: string): Body {
  const content = random.pick<unknown>([words(random), [textBlock(random)], [], [imageBlock(random), textBlock(random)], undefined]);
  return { type: 'tool_result', tool_use_id: id, ...(content !== undefined && { content }), ...(random.chance(0.2) && { is_error: true }) };
}

function calls(random: Random, at: number): Body[] {
  const ids = random.times(random.int(1, 2), (i) => `toolu_${at}_${i}`);
  const uses = ids.map((id) => ({
    type: 'tool_use',
    id,
    name: random.pick(toolNames(random)),
    input: random.pick<Body>([{}, { city: 'Paris' }]),
  }));
  const before = random.chance(0.4) ? [{ type: 'thinking', thinking: words(random), signature: random.pick(['', 'abc']) }] : [];
  return [
    { role: 'assistant', content: [...before, ...(random.chance(0.5) ? [textBlock(random)] : []), ...uses] },
    { role: 'user', content: [...ids.map((id) => result(random, id)), ...(random.chance(0.3) ? [textBlock(random)] : [])] },
  ];
}

function turn(random: Random, at: number): Body[] {
  const kind = random.int(0, 3);
  if (kind === 0) return calls(random, at);
  const answer = random.pick<unknown>([words(random), [textBlock(random)], [{ type: 'redacted_thinking', data: 'x' }, textBlock(random)]]);
  return [
    { role: 'user', content: userContent(random) },
    { role: 'assistant', content: answer },
  ];
}

function addTools(random: Random, body: Body): void {
  const names = toolNames(random);
  body['tools'] = names.map((name) => ({
    name,
    input_schema: { ...schema(random), type: 'object' },
    ...(random.chance(0.5) && { description: words(random) }),
    ...(random.chance(0.2) && { type: 'custom' }),
    ...(random.chance(0.2) && { strict: true }),
    ...(random.chance(0.1) && { eager_input_streaming: true, input_examples: [{}] }),
    ...cached(random),
  }));
  addSome(random, body, 0.6, [
    [
      'tool_choice',
      { type: 'auto' },
      { type: 'none' },
      { type: 'any', disable_parallel_tool_use: true },
      { type: 'tool', name: names[0] },
      null,
    ],
  ]);
}

function conversation(random: Random): Body {
  const turns = random.times(random.int(0, 3), (at) => turn(random, at)).flat();
  const instruction = random.chance(0.1) ? [{ role: 'system', content: random.pick<unknown>([words(random), [textBlock(random)]]) }] : [];
  const body: Body = { messages: [...turns, ...instruction, { role: 'user', content: userContent(random) }] };
  addSome(random, body, 0.5, [['system', words(random), [textBlock(random)], null]]);
  if (random.chance(0.4)) addTools(random, body);
  return body;
}

/** A body of count_tokens that a deployment which can everything answers. */
export function countBody(random: Random, model: string): Body {
  const body: Body = { model, ...conversation(random) };
  addSome(random, body, 0.05, FIELDS);
  addSome(random, body, 0.2, [['thinking', { type: 'enabled', budget_tokens: 2_000 }, { type: 'adaptive' }, { type: 'disabled' }, null]]);
  return body;
}

/** A body of the messages contract that a deployment which can everything answers. */
export function messagesBody(random: Random, model: string): Body {
  const body: Body = { model, max_tokens: random.pick([1, 100, 32_000, 2 ** 31]), ...conversation(random) };
  addSome(random, body, 0.12, FIELDS);
  if (random.chance(0.5)) body['stream'] = true;
  if (random.chance(0.3)) {
    body['max_tokens'] = 32_000;
    body['thinking'] = random.pick<unknown>([
      { type: 'enabled', budget_tokens: 1_024, display: 'omitted' },
      { type: 'adaptive', display: 'summarized' },
      { type: 'between_tools' },
      { type: 'disabled' },
      null,
    ]);
  } else if (random.chance(0.1)) body['max_tokens'] = 0;
  return body;
}
