import { CAPABILITIES, type CanonicalRequest } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import { CONTRACTS } from './public-contract.js';
import type { RawAnswer } from './raw-answer.js';
import { rawRequest } from './raw-client.js';

/** A one-pixel image. */
const PNG = 'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const user = { role: 'user', content: 'one two' };
const text = (content: string) => [{ type: 'text', text: content }];
const tool = (name = 'f') => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } });
const call = (fields: object = {}) => ({ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' }, ...fields });
const history = (...messages: object[]) => ({ messages: [user, ...messages] });
const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'], additionalProperties: false };
const jsonSchema = (fields: object) => ({ response_format: { type: 'json_schema', json_schema: fields } });

/** Fields of a request beside its model; what is `undefined` is left out. */
type Body = Readonly<Record<string, unknown>>;
type Refused = readonly [sends: string, body: Body, param: string, code: string];
type Honoured = readonly [sends: string, body: Body, canonical: object];

const REFUSED: readonly Refused[] = [
  ['no messages', { messages: undefined }, 'messages', 'missing_required_parameter'],
  ['an empty list of messages', { messages: [] }, 'messages', 'empty_array'],
  ['text for messages', { messages: 'hi' }, 'messages', 'invalid_type'],
  ['an unknown role', { messages: [{ role: 'robot', content: 'x' }] }, 'messages[0].role', 'invalid_value'],
  ['a user who says null', { messages: [{ role: 'user', content: null }] }, 'messages[0].content', 'invalid_type'],
  ['a user without parts', { messages: [{ role: 'user', content: [] }] }, 'messages[0].content', 'empty_array'],
  ['an assistant who says null', history({ role: 'assistant', content: null }), 'messages[1].content', 'invalid_type'],
  ['a tool without the id of its call', history({ role: 'tool', content: 'x' }), 'messages[1].tool_call_id', 'missing_required_parameter'],
  [
    'a call with broken arguments',
    history({ role: 'assistant', tool_calls: [call({ function: { name: 'f', arguments: '{"a":' } })] }),
    'messages[1].tool_calls[0].function.arguments',
    'invalid_value',
  ],
  ...[2.1, '0.5', -0.1].map((temperature): Refused => [`temperature ${temperature}`, { temperature }, 'temperature', codeOf(temperature)]),
  ['top_p 1.5', { top_p: 1.5 }, 'top_p', 'invalid_value'],
  ['max_tokens 0', { max_tokens: 0 }, 'max_tokens', 'integer_below_min_value'],
  ['max_tokens -1', { max_tokens: -1 }, 'max_tokens', 'integer_below_min_value'],
  ['max_tokens 1.5', { max_tokens: 1.5 }, 'max_tokens', 'invalid_type'],
  ['max_tokens as text', { max_tokens: '5' }, 'max_tokens', 'invalid_type'],
  ['max_tokens beyond every integer', { max_tokens: 99999999999999999999 }, 'max_tokens', 'invalid_value'],
  ['five stops', { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop', 'array_above_max_length'],
  ['an empty stop', { stop: [''] }, 'stop', 'invalid_value'],
  ['a number to stop at', { stop: [1] }, 'stop', 'invalid_type'],
  ['n 0', { n: 0 }, 'n', 'integer_below_min_value'],
  ['more choices than are made', { n: 9 }, 'n', 'invalid_value'],
  ['stream_options without stream', { stream_options: { include_usage: true } }, 'stream_options', 'invalid_value'],
  ['stream as text', { stream: 'true' }, 'stream', 'invalid_type'],
  ['a forced call without tools', { tool_choice: 'required' }, 'tool_choice', 'invalid_value'],
  ['a choice of an absent tool', { tools: [tool()], tool_choice: tool('g') }, 'tool_choice', 'invalid_value'],
  ['a custom tool', { tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools[0].type', 'invalid_value'],
  ['a tool without a name', { tools: [{ type: 'function', function: {} }] }, 'tools[0].function.name', 'missing_required_parameter'],
  ['129 tools', { tools: Array.from({ length: 129 }, (_, i) => tool(`f${i}`)) }, 'tools', 'array_above_max_length'],
  ['a schema without a name', jsonSchema({ schema }), 'response_format.json_schema.name', 'missing_required_parameter'],
  ['an unknown form', { response_format: { type: 'xml' } }, 'response_format.type', 'invalid_value'],
  ['top_logprobs alone', { top_logprobs: 3 }, 'top_logprobs', 'invalid_value'],
  ['21 top_logprobs', { logprobs: true, top_logprobs: 21 }, 'top_logprobs', 'invalid_value'],
  ['functions', { functions: [{ name: 'f' }] }, 'functions', 'unsupported_parameter'],
  ['audio to be made', { modalities: ['text', 'audio'] }, 'modalities', 'unsupported_value'],
  ['ignore_eos without a limit', { ignore_eos: true }, 'ignore_eos', 'invalid_value'],
  ['a template of its own', { chat_template: '{{ x }}' }, 'chat_template', 'unsupported_parameter'],
  ...['http://169.254.169.254/', 'https://images.example/a.png', 'file:///etc/passwd', 'data:text/html;base64,AAAA'].map((url): Refused => [
    `an image at ${url}`,
    withImage(url),
    'messages[0].content[1].image_url',
    'unsupported_content',
  ]),
];

/** What a deployment that only makes text refuses, by the name of the field. */
const LACKING: readonly Refused[] = [
  ['an image', withImage(PNG), 'messages[0].content[1].image_url', 'unsupported_content'],
  ['tools', { tools: [tool()] }, 'tools', 'unsupported_parameter'],
  ['two choices', { n: 2 }, 'n', 'unsupported_value'],
  ['a schema', jsonSchema({ name: 'x', schema }), 'response_format', 'unsupported_parameter'],
  ['a pattern', { structured_outputs: { regex: 'a+' } }, 'structured_outputs', 'unsupported_parameter'],
  ['probabilities', { logprobs: true }, 'logprobs', 'unsupported_parameter'],
  ['template arguments', { chat_template_kwargs: { enable_thinking: false } }, 'chat_template_kwargs', 'unsupported_parameter'],
  ['top_k', { top_k: 5 }, 'top_k', 'unsupported_parameter'],
  ['a seed', { seed: 1 }, 'seed', 'unsupported_parameter'],
];

const HONOURED: readonly Honoured[] = [
  ['an empty text', { messages: [{ role: 'user', content: '' }] }, { messages: [{ role: 'user', content: text('') }] }],
  [
    'text in parts',
    { messages: [{ role: 'user', content: [...text('one '), ...text('two')] }] },
    { messages: [{ role: 'user', content: text('one two') }] },
  ],
  [
    'a developer',
    { messages: [{ role: 'developer', content: 'Be brief.' }, user] },
    {
      messages: [
        { role: 'system', content: text('Be brief.') },
        { role: 'user', content: text('one two') },
      ],
    },
  ],
  [
    'a call and its result',
    history({ role: 'assistant', content: null, tool_calls: [call()] }, { role: 'tool', tool_call_id: 'call_1', content: 'three' }),
    {
      messages: [
        { role: 'user', content: text('one two') },
        { role: 'assistant', content: [], tool_calls: [{ id: 'call_1', name: 'f', arguments: '{"a":1}' }] },
        { role: 'tool', tool_call_id: 'call_1', content: text('three') },
      ],
    },
  ],
  [
    'an image',
    withImage(PNG),
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'x' },
            { type: 'image', url: PNG },
          ],
        },
      ],
    },
  ],
  ['fields of single servers', { foo: 1, n_predict: -1, id_slot: 3, cache_prompt: false, max_tokens: 5 }, { max_tokens: 5 }],
  [
    'null for everything',
    { temperature: null, top_p: null, n: null, stop: null, seed: null, tools: null, stream: null, stream_options: null },
    {},
  ],
  ['both limits', { max_tokens: 5, max_completion_tokens: 6 }, { max_tokens: 6 }],
  ['more tokens than any model has', { max_tokens: 1e15 }, { max_tokens: 2 ** 31 - 1 }],
  ['one stop', { stop: 'a' }, { stop: ['a'] }],
  ['two stops', { stop: ['a', 'b'] }, { stop: ['a', 'b'] }],
  ['no stop', { stop: [] }, { stop: [] }],
  ['a seed of 64 bits', { seed: 9223372036854775807 }, { sampling: { seed: 0 } }],
  ['a small seed', { seed: 7 }, { sampling: { seed: 7 } }],
  ['no nucleus', { top_p: 0 }, { sampling: { temperature: 0 } }],
  ['auto without tools', { tool_choice: 'auto' }, {}],
  ['none without tools', { tool_choice: 'none' }, {}],
  ['an empty list of tools', { tools: [] }, {}],
  [
    'one call at most',
    { tools: [tool()], parallel_tool_calls: false, tool_choice: 'required' },
    { tools: [{ name: 'f', parameters: { type: 'object', properties: {} } }], tool_choice: 'required', parallel_tool_calls: false },
  ],
  [
    'some tools of many',
    { tools: [tool('f'), tool('g')], tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [tool('g')] } } },
    { tools: [{ name: 'g', parameters: { type: 'object', properties: {} } }], tool_choice: 'auto' },
  ],
  [
    'a strict schema',
    jsonSchema({ name: 'x', schema, strict: true }),
    { output: { kind: 'json_schema', name: 'x', schema, strict: true } },
  ],
  ['some JSON', { response_format: { type: 'json_object' } }, { output: { kind: 'json_object' } }],
  ['words to choose from', { guided_choice: ['yes', 'no'] }, { output: { kind: 'choice', options: ['yes', 'no'] } }],
  ['an effort', { reasoning_effort: 'low' }, { reasoning: { effort: 'low' } }],
  ['probabilities', { logprobs: true, top_logprobs: 2 }, { logprobs: 2 }],
  [
    'a turn to go on with',
    { ...history({ role: 'assistant', content: 'Once' }), continue_final_message: true, add_generation_prompt: false },
    {
      messages: [
        { role: 'user', content: text('one two') },
        { role: 'assistant', content: text('Once') },
      ],
      continue_final: true,
    },
  ],
];

function codeOf(value: unknown): string {
  return typeof value === 'string' ? 'invalid_type' : 'invalid_value';
}

function withImage(url: string): Body {
  return {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url } },
        ],
      },
    ],
  };
}

describe('a chat request', () => {
  let door: Door;
  /** A deployment that only makes text, and one that can do everything; nobody need answer for the first. */
  let plain: string;

  beforeAll(async () => {
    door = await Door.open({ contract: CONTRACTS.find(({ name }) => name === 'chat')! });
    plain = `deployment-${door.rig.deployment(door.account.id, { caps: ['exact_usage'] }).id}`;
    await until('the gateway knows it', async () => (await send({ temperature: 3 }, plain)).status === 400, 30_000);
  });
  afterAll(() => door?.end());
  afterEach(() => door.reset());

  const post = async (body: string | Buffer, slug = door.slug): Promise<RawAnswer> =>
    (await door.converse(Buffer.concat([head(slug, Buffer.byteLength(body)), Buffer.from(body)]))).answers[0]!;
  const head = (slug: string, bytes: number): Buffer => Buffer.from(rawRequest(door.path(slug), door.headers(`Content-Length: ${bytes}`)));
  const send = (body: Body, slug = door.slug): Promise<RawAnswer> => post(JSON.stringify({ model: slug, messages: [user], ...body }), slug);
  const expectRefused = (answer: RawAnswer, status: number, { param, code }: { param: string | null; code: string }): void => {
    expect({ status: answer.status, body: JSON.parse(answer.body) }).toEqual({
      status,
      body: { error: { message: expect.stringMatching(/^[A-Z'].*\.$/) as string, type: 'invalid_request_error', param, code } },
    });
    expect(answer.headers.get('x-should-retry')).toBe('false');
  };

  it.each(REFUSED)('with %s is refused by the name of the field, and no worker hears of it', async (_, body, param, code) => {
    const started = door.runner.admitted.length;
    for (const stream of 'stream' in body || 'stream_options' in body ? [undefined] : [undefined, true]) {
      expectRefused(await send({ ...(stream && { stream }), ...body }), 400, { param, code });
    }
    expect(door.runner.admitted).toHaveLength(started);
  });

  it.each(LACKING)('with %s is refused by the name of the field where the engine cannot do it', async (_, body, param, code) => {
    expectRefused(await send(body, plain), 400, { param, code });
  });

  it.each(HONOURED)('with %s reaches the worker as what it means, and nothing else does', async (_, body, canonical) => {
    door.runner.script = async (_start, writer) => {
      writer.events([
        { k: 'text', x: 'ok', n: 1 },
        { k: 'fin', r: 'stop' },
      ]);
      return { usage: { prompt: 1, cached: 0, completion: 1 }, times: { queue: 0, prefill: 0, total: 0 } };
    };
    expect((await send(body)).status).toBe(200);
    const base: CanonicalRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'one two' }] }], sampling: {}, stop: [] };
    expect(door.runner.admitted.at(-1)?.req).toEqual({ ...base, ...canonical });
  });

  it('needs no more than a deployment can do, and takes all that it can', async () => {
    const able = door.rig.deployment(door.account.id, { caps: [...CAPABILITIES] });
    const slug = `deployment-${able.id}`;
    await door.rig.runner({ dep: able.id });
    await until('it answers', async () => (await send({}, slug)).status === 200, 30_000);
    for (const [, body] of LACKING.filter(([, fields]) => !('n' in fields))) expect((await send(body, slug)).status).toBe(200);
  });

  it.each<[string, () => string | Buffer, string]>([
    ['half a body', () => '{', 'invalid_json'],
    ['no body', () => '', 'invalid_json'],
    ['a list', () => '[]', 'invalid_json'],
    ['a byte order mark', () => `\ufeff{"model":"${door.slug}","messages":[]}`, 'invalid_json'],
    ['10,000 levels', () => `{"model":${'['.repeat(10_000)}`, 'json_too_deep'],
    ['two models', () => `{"model":"a","model":"${door.slug}","messages":[{"role":"user","content":"x"}]}`, 'invalid_json'],
    ['two lists of messages', () => `{"model":"${door.slug}","messages":[],"messages":[]}`, 'invalid_json'],
    ['two limits of tokens', () => `{"model":"${door.slug}","max_tokens":1,"max_tokens":9,"messages":[]}`, 'invalid_json'],
    ['two streams', () => `{"model":"${door.slug}","stream":true,"stream":false,"messages":[]}`, 'invalid_json'],
    ['half a character', () => `{"model":"${door.slug}","messages":[{"role":"user","content":"\\ud800"}]}`, 'invalid_unicode'],
  ])('of %s is refused as a whole', async (_, body, code) => {
    expectRefused(await post(body()), 400, { param: null, code });
  });

  it('with a field twice that decides nothing of its cost takes the last', async () => {
    const body = `{"model":"${door.slug}","temperature":9,"temperature":0.5,"messages":[{"role":"user","content":"x"}]}`;
    expect((await post(body)).status).toBe(200);
    expect(door.runner.admitted.at(-1)?.req.sampling).toEqual({ temperature: 0.5 });
  });

  it('with too long a body is 413, and with another content type 400', async () => {
    const long = rawRequest(door.path(), door.headers('Content-Length: 8388609'));
    expectRefused((await door.converse(long)).answers[0]!, 413, { param: null, code: 'request_too_large' });
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json; charset=latin1']) {
      const request = rawRequest(door.path(), [`X-API-Key: ${door.key}`, `Content-Type: ${type}`], door.body());
      expectRefused((await door.converse(request)).answers[0]!, 400, { param: null, code: 'unsupported_media_type' });
    }
  });

  it('by another method is told which to use, and on a path that is almost right what to set', async () => {
    for (const method of ['GET', 'PUT', 'DELETE']) {
      const { answers } = await door.converse(rawRequest(door.path(), door.headers(), '', method));
      expectRefused(answers[0]!, 405, { param: null, code: 'method_not_allowed' });
      expect(answers[0]?.headers.get('allow')).toBe('POST');
    }
    for (const [path, words] of [
      [`${door.path()}/`, 'a slash too many'],
      [door.path().replace('/v1/', '/v1//'), 'an empty part'],
      [door.path().replace('/v1/', '/v1/v1/'), '/v1 twice'],
      [door.path().replace('/v1/', '/'), 'lacks /v1'],
      [`${door.path()}/chat/completions`, '/chat/completions twice'],
      [`/${door.slug}/v1/responses`, 'provider.chat(model)'],
      ['/v1/chat/completions', 'names no deployment'],
    ] as const) {
      const { answers } = await door.converse(door.at(path));
      expectRefused(answers[0]!, 404, { param: null, code: 'not_found' });
      expect(answers[0]?.body).toContain(words);
      expect(answers[0]?.body).toMatch(/base URL to http:\/\/[^ ]+\/v1\./);
      expect(answers[0]?.headers.get('location')).toBeNull();
    }
  });
});
