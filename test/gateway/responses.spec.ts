import { createHash } from 'node:crypto';
import type { StreamEvent } from '@slipway/contracts';
import { ServiceError } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { fin, says, text } from './chat-chunks.js';
import { Door } from './door.js';
import type { RawAnswer } from './raw-answer.js';
import { rawRequest } from './raw-client.js';
import { responsesContract } from './responses-contract.js';
import { type Script, usageOf } from './scripted-runner.js';

type Json = Record<string, unknown>;
const WITHIN_MS = 30_000;

const eventsIn = (sse: string): Json[] => [...sse.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as Json);

describe('the responses contract', () => {
  let door: Door;

  beforeAll(async () => {
    door = await Door.open({ contract: responsesContract, environment: { QUEUE_WAIT_MS: '300' } });
  });
  afterAll(() => door?.end());
  afterEach(() => door.reset());

  const request = (fields: object, slug = door.slug): string =>
    rawRequest(door.path(slug), door.headers(), JSON.stringify({ model: slug, input: 'one two three', ...fields }));
  const ask = async (fields: object = {}, slug?: string): Promise<RawAnswer> => (await door.converse(request(fields, slug))).answers[0]!;
  const complete = async (fields: object = {}): Promise<Json> => JSON.parse((await ask(fields)).body) as Json;
  const errorOf = ({ status, body }: RawAnswer): object => ({ status, ...(JSON.parse(body) as { error: object }).error });
  const engine = (): NonNullable<typeof door.runner.admitted>[number]['req'] => door.runner.admitted.at(-1)!.req;

  it('answers with exactly its fields', async () => {
    expect(await complete()).toEqual({
      id: expect.stringMatching(/^resp_[A-Za-z0-9]{22}$/) as string,
      ...{ object: 'response', created_at: expect.any(Number) as number, completed_at: expect.any(Number) as number, model: door.slug },
      ...{ status: 'completed', error: null, incomplete_details: null },
      output: [
        {
          id: expect.stringMatching(/^msg_[A-Za-z0-9]{22}_0$/) as string,
          ...{ status: 'completed', type: 'message', role: 'assistant' },
          content: [{ type: 'output_text', text: 'one two three', annotations: [], logprobs: [] }],
        },
      ],
      usage: {
        ...{ input_tokens: 7, input_tokens_details: { cached_tokens: 3 }, output_tokens: 3 },
        ...{ output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 10 },
      },
      ...{ store: false, background: false, previous_response_id: null, instructions: null, tools: [], tool_choice: 'auto' },
      ...{
        text: { format: { type: 'text' } },
        parallel_tool_calls: true,
        max_output_tokens: null,
        reasoning: { effort: null, summary: null },
      },
      ...{ temperature: null, top_p: null, top_logprobs: 0, truncation: 'disabled', metadata: {} },
    });
  });

  it('leaves out web_search, and says so in a header', async () => {
    const tools = [{ type: 'function', name: 'f' }, { type: 'web_search' }];
    const answer = await ask({ tools });
    expect([answer.status, answer.headers.get('x-slipway-ignored')]).toEqual([200, 'tools[1]']);
    expect(engine().tools).toEqual([{ name: 'f' }]);
    expect((await ask({ tools: tools.slice(0, 1) })).headers.get('x-slipway-ignored')).toBeNull();
  });

  it('uses the room left where no limit is named', async () => {
    await complete();
    expect(engine()).toMatchObject({ fills_context: true });
    expect(engine()).not.toHaveProperty('max_tokens');
    expect(await complete({ max_output_tokens: 1 })).toMatchObject({
      ...{ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, max_output_tokens: 1 },
      usage: { output_tokens: 1 },
    });
  });

  const calls: readonly StreamEvent[] = [
    { k: 'call', i: 0, id: 'call_A', name: 'web__look', n: 1 },
    { k: 'args', i: 0, x: '{"city":"Zürich"}', n: 1 },
    { k: 'call', i: 1, id: 'call_B', name: 'patch', n: 1 },
    { k: 'args', i: 1, x: '{"input":"a\\n\\"b\\""}', n: 1 },
    fin('tool_calls'),
  ];
  const tools = [
    { type: 'namespace', name: 'web', description: '', tools: [{ type: 'function', name: 'look' }] },
    { type: 'custom', name: 'patch' },
  ];

  it('gives calls the names of their tools, both ways', async () => {
    door.runner.script = says(...calls);
    const { output } = await complete({ tools });
    expect(output).toMatchObject([
      { type: 'function_call', call_id: 'call_A', name: 'look', namespace: 'web', arguments: '{"city":"Zürich"}' },
      { type: 'custom_tool_call', call_id: 'call_B', name: 'patch', input: 'a\n"b"' },
    ]);
    const results = [
      { type: 'custom_tool_call_output', call_id: 'call_B', output: 'done' },
      { type: 'function_call_output', call_id: 'call_A', output: 'sun' },
    ];
    await complete({ tools, input: [{ role: 'user', content: 'x' }, ...(output as object[]), ...results] });
    expect(engine().messages.slice(1)).toEqual([
      {
        ...{ role: 'assistant', content: [] },
        tool_calls: [
          { id: 'call_A', name: 'web__look', arguments: '{"city":"Zürich"}' },
          { id: 'call_B', name: 'patch', arguments: '{"input":"a\\n\\"b\\""}' },
        ],
      },
      { role: 'tool', tool_call_id: 'call_A', content: [{ type: 'text', text: 'sun' }] },
      { role: 'tool', tool_call_id: 'call_B', content: [{ type: 'text', text: 'done' }] },
    ]);
  });

  it('brings its own reasoning back to the engine', async () => {
    door.runner.script = says({ k: 'think', x: 'I think.', n: 1 }, text('yes'), fin());
    const { output } = await complete({ store: false });
    expect(output).toMatchObject([{ type: 'reasoning', summary: [{ text: 'I think.' }], encrypted_content: 'slw1:SSB0aGluay4=' }, {}]);
    const [thought, answer] = output as [object, object];
    const input = [{ role: 'user', content: 'x' }, { ...thought, summary: [] }, answer, { role: 'user', content: 'y' }];
    await complete({ input });
    expect(engine().messages[1]).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'yes' }], reasoning: 'I think.' });
  });

  it('reads large bodies in a thread like small ones', async () => {
    door.runner.script = says(...calls);
    const { output } = await complete({ tools, instructions: 'x'.repeat(200_000) });
    expect(output).toMatchObject([{ name: 'look', namespace: 'web' }, { type: 'custom_tool_call' }]);
    const large = {
      input: [
        { role: 'user', content: 'x'.repeat(200_000) },
        { type: 'item_reference', id: 'msg_1' },
      ],
    };
    expect(errorOf(await ask(large))).toMatchObject({ status: 400, code: 'item_not_found', param: 'input[1].id' });
  });

  it('reaches no engine with a missing item', async () => {
    const started = door.runner.admitted.length;
    const input = [
      { role: 'user', content: 'x' },
      { type: 'item_reference', id: 'msg_1' },
    ];
    const answer = await ask({ input, stream: true });
    expect(errorOf(answer)).toMatchObject({ status: 400, code: 'item_not_found', type: 'invalid_request_error', param: 'input[1].id' });
    expect(answer.headers.get('x-should-retry')).toBe('false');
    expect(door.runner.admitted).toHaveLength(started);
  });

  it.each<[string, string, string]>([
    ['response_format', 'text.format', 'beside tools'],
    ['messages', 'input', 'in its prompt'],
    ['max_tokens', 'max_output_tokens', 'as a limit'],
  ])('names its own field for %s of an engine: %s', async (engines, own) => {
    door.runner.script = () => Promise.reject(new ServiceError('unsupported_value', 'Not both.', { param: engines }));
    const format = { type: 'json_schema', name: 'x', schema: { type: 'object' } };
    for (const stream of [true, false]) {
      expect(errorOf(await ask({ stream, tools, text: { format } }))).toMatchObject({ status: 400, param: own });
    }
  });

  it('says which prompt is too long for which context', async () => {
    const facts = { tokens: 900, context: 512 };
    door.runner.script = () => Promise.reject(new ServiceError('context_length_exceeded', 'Too long.', { facts, param: 'messages' }));
    expect(errorOf(await ask({ stream: true }))).toMatchObject({
      ...{ status: 400, code: 'context_length_exceeded', param: 'input' },
      message: "This model's maximum context length is 512 tokens; the prompt is too long: 900 tokens.",
    });
  });

  it('answers 400 for a stopped deployment, else 503', async () => {
    const stopped = await ask({}, door.slugOf('stopped'));
    expect(errorOf(stopped)).toMatchObject({ status: 400, code: 'deployment_stopped' });
    expect(stopped.headers.get('x-should-retry')).toBe('false');
    const starting = await ask({}, door.slugOf('starting'));
    expect([starting.status, starting.headers.get('retry-after')]).toEqual([503, '5']);
  });

  const upgrade = (): string[] =>
    door.headers(
      ...['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
      `Sec-WebSocket-Key: ${createHash('md5').update('x').digest('base64')}`,
    );

  it('answers a WebSocket’s handshake with 426', async () => {
    const { answers } = await door.converse(rawRequest(door.path(), upgrade(), '', 'GET'));
    expect(errorOf(answers[0]!)).toMatchObject({ status: 426, code: 'method_not_allowed' });
    const { answers: plain } = await door.converse(rawRequest(door.path(), door.headers(), '', 'GET'));
    expect([plain[0]?.status, plain[0]?.headers.get('allow')]).toEqual([405, 'POST']);
  });

  it.each<[string, string, RegExp]>([
    ['GET', '/resp_1', /Answers are not kept here\. Send the whole conversation/],
    ['DELETE', '/resp_1', /Answers are not kept here/],
    ['GET', '/resp_1/input_items', /Answers are not kept here/],
    ['POST', '/compact', /not compacted here; send an ordinary request/],
    ['POST', '/input_tokens', /count_tokens/],
    ['POST', '/', /a slash too many/],
    ['POST', '/responses', /\/responses twice/],
  ])('has words for %s of %s', async (method, end, words) => {
    const { answers } = await door.converse(rawRequest(`${door.path()}${end}`, door.headers(), '', method));
    expect(errorOf(answers[0]!)).toMatchObject({ status: 404, code: 'not_found', message: expect.stringMatching(words) as string });
  });

  const endings: readonly (readonly [how: string, script: Script])[] = [
    [
      'an engine that dies',
      async (_start, writer) => {
        for (const x of ['a', 'b', 'c']) writer.events([text(x)]);
        throw new ServiceError('engine_error', 'The model failed.');
      },
    ],
    [
      'an engine that says no reason',
      async (_start, writer) => {
        writer.events([text('a')]);
        return usageOf(1);
      },
    ],
  ];
  it.each(endings)('ends with one error and a broken socket: %s', async (_, script) => {
    door.runner.script = script;
    const client = (await door.connect()).send(request({ stream: true }));
    const received = await client.untilClosed(WITHIN_MS);
    expect(received).toMatch(responsesContract.failureEnd('engine_error'));
    expect(received).not.toMatch(responsesContract.anyEnd);
    expect(received).not.toMatch(/\r\n0\r\n/);
    const last = eventsIn(received).at(-1)!;
    expect(last).toMatchObject({ code: 'engine_error', param: null, error: { type: 'server_error', code: 'engine_error', param: null } });
    expect(last['message']).toBe((last['error'] as Json)['message']);
    expect(errorOf(await ask())).toMatchObject({ status: 502, code: 'engine_error' });
  });

  it('is recorded and logged under its own name', async () => {
    const { headers } = await ask({}, 'deployment-99999');
    expect(await door.gateway.lineOf(headers.get('x-request-id') ?? '')).toMatchObject({ error: 'model_not_found' });
    await ask();
    expect(door.runner.admitted.at(-1)?.api).toBe('responses');
  });
});
