import type { Random } from '../engines/random.js';
import { addSome, type Body, image, type Optional, schema, toolNames, words } from './valid-parts.js';

const SAMPLING: readonly Optional[] = [
  ['temperature', 0, 0.7, 2, 1e-9, null],
  ['top_p', 0, 0.5, 1, null],
  ['top_k', -1, 0, 40],
  ['min_p', 0, 0.05, 1],
  ['frequency_penalty', -2, 0, 2],
  ['presence_penalty', -2, 1.5],
  ['repetition_penalty', 0.1, 1, 10],
  ['seed', 0, -1, 42, 2 ** 53, null],
  ['logit_bias', {}, { '50': -100, '7': 3.5 }, null],
  ['n', 1, 2, 8, null],
  ['stop', 'x', ['a', 'b'], [], ['\n', 'END', '4', '\u0000'], null],
  ['stop_token_ids', [], [1, 2]],
  ['reasoning_effort', 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max', null],
];

const IGNORED: readonly Optional[] = [
  ['user', 'someone', ''],
  ['safety_identifier', 'id'],
  ['prompt_cache_key', 'key'],
  ['prompt_cache_retention', '24h'],
  ['verbosity', 'low'],
  ['service_tier', 'auto'],
  ['store', true, false, null],
  ['metadata', {}, { a: 'b' }, null],
  ['include_reasoning', true],
  ['separate_reasoning', false],
  ['cache_prompt', true],
  ['modalities', ['text'], null],
  ['prediction', { type: 'content', content: 'x' }],
  ['some_future_field', 1, 'x', { deep: [{}] }],
  ['n_predict', 10],
  ['chat_template_kwargs', {}, { enable_thinking: false, level: 3, style: 'short' }],
  ['audio', null],
  ['functions', null],
];

const OUTPUTS: readonly ((random: Random) => Body)[] = [
  () => ({ response_format: { type: 'text' } }),
  () => ({ response_format: { type: 'json_object' } }),
  (random) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'answer-1', strict: random.chance(0.5), schema: schema(random) } },
  }),
  (random) => ({
    structured_outputs: random.pick<Body>([
      { json: schema(random) },
      { regex: '[a-z]+' },
      { choice: ['yes', 'no'] },
      { grammar: 'root ::= "a"' },
    ]),
  }),
  (random) => ({ guided_json: schema(random) }),
  () => ({ guided_regex: '\\d{3}' }),
  () => ({ guided_choice: ['a', 'b'] }),
];

const textPart = (random: Random): Body => ({ type: 'text', text: words(random) });

function userContent(random: Random): unknown {
  if (random.chance(0.5)) return words(random);
  return random.times(random.int(1, 3), () => {
    if (random.chance(0.6)) return textPart(random);
    const { type, data } = image(random);
    return { type: 'image_url', image_url: { url: `data:image/${type};base64,${data}`, detail: random.pick(['auto', 'low', 'high']) } };
  });
}

const textContent = (random: Random): unknown =>
  random.chance(0.6) ? words(random) : random.times(random.int(1, 2), () => textPart(random));

/** A call and its result. */
function callAndResult(random: Random, at: number): Body[] {
  const id = `call_${at}`;
  const call = {
    id,
    type: 'function',
    function: { name: random.pick(toolNames(random)), arguments: random.pick(['{}', '', '{"city":"Paris"}']) },
  };
  return [
    { role: 'assistant', content: random.pick<unknown>([null, '', 'Let me see.']), tool_calls: [call] },
    { role: 'tool', tool_call_id: id, content: textContent(random), ...(random.chance(0.3) && { name: 'search' }) },
  ];
}

function turn(random: Random, at: number): Body[] {
  const kind = random.int(0, 4);
  if (kind === 0) return callAndResult(random, at);
  if (kind === 1)
    return [{ role: 'assistant', content: textContent(random), ...(random.chance(0.3) && { reasoning_content: words(random) }) }];
  if (kind === 2) return [{ role: 'assistant', refusal: 'No.', content: null }];
  return [{ role: 'user', content: userContent(random), ...(random.chance(0.2) && { name: 'ann' }) }];
}

function messages(random: Random): Body[] {
  const first = random.chance(0.5) ? [{ role: random.pick(['system', 'developer']), content: textContent(random) }] : [];
  const turns = random.times(random.int(0, 4), (at) => turn(random, at)).flat();
  return [...first, ...turns, { role: 'user', content: userContent(random) }];
}

function addTools(random: Random, body: Body): void {
  const names = toolNames(random);
  body['tools'] = names.map((name) => ({
    type: 'function',
    function: {
      name,
      ...(random.chance(0.7) && { description: words(random) }),
      ...(random.chance(0.8) && { parameters: schema(random) }),
      ...(random.chance(0.3) && { strict: true }),
    },
  }));
  const named = { type: 'function', function: { name: names[0] } };
  addSome(random, body, 0.6, [
    ['tool_choice', 'auto', 'none', 'required', named, { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named] } }, null],
    ['parallel_tool_calls', true, false, null],
  ]);
}

function addStream(random: Random, body: Body): void {
  body['stream'] = true;
  addSome(random, body, 0.5, [
    [
      'stream_options',
      {},
      null,
      { include_usage: true },
      { include_usage: true, continuous_usage_stats: true, include_obfuscation: false },
    ],
  ]);
}

/** A body of the chat contract that a deployment which can everything answers. */
export function chatBody(random: Random, model: string): Body {
  const body: Body = { model, messages: messages(random) };
  addSome(random, body, 0.15, SAMPLING);
  addSome(random, body, 0.08, IGNORED);
  addSome(random, body, 0.3, [['max_completion_tokens', 1, 100, 2 ** 31]]);
  addSome(random, body, 0.2, [['max_tokens', 1, 100_000, null]]);
  if (random.chance(0.2)) Object.assign(body, { logprobs: true, top_logprobs: random.int(0, 20) });
  if (random.chance(0.5)) addStream(random, body);
  if (random.chance(0.3)) Object.assign(body, random.pick(OUTPUTS)(random));
  if (random.chance(0.35)) addTools(random, body);
  return body;
}
