import OpenAI from 'openai';
import type { StreamEvent } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Choice, chunksOf, fin, says, text } from './chat-chunks.js';
import { Door } from './door.js';
import { CONTRACTS } from './expect-row.js';
import type { RawAnswer } from './raw-answer.js';
import { rawRequest } from './raw-client.js';

describe('a chat answer', () => {
  let door: Door;

  beforeAll(async () => {
    door = await Door.open({ contract: CONTRACTS.find(({ name }) => name === 'chat')! });
  });
  afterAll(() => door?.end());
  afterEach(() => door.reset());

  const user = { role: 'user', content: 'one two three' };
  const request = (fields: object): string =>
    rawRequest(door.path(), door.headers(), JSON.stringify({ model: door.slug, messages: [user], ...fields }));
  const ask = async (fields: object = {}): Promise<RawAnswer> => (await door.converse(request(fields))).answers[0]!;
  const stream = async (fields: object = {}): Promise<string> => (await ask({ stream: true, ...fields })).body;
  const complete = async (fields: object = {}): Promise<Record<string, unknown>> =>
    JSON.parse((await ask(fields)).body) as Record<string, unknown>;
  const choiceOf = async (fields: object = {}): Promise<object> => ((await complete(fields))['choices'] as object[])[0]!;
  const sdk = (): OpenAI =>
    new OpenAI({ baseURL: `http://127.0.0.1:${door.gateway.port}/${door.slug}/v1`, apiKey: door.key, maxRetries: 2 });
  const asSdk = { messages: [{ role: 'user' as const, content: 'x' }] };

  it('is a document of exactly the contract’s fields', async () => {
    const answer = await complete();
    expect(answer).toEqual({
      id: expect.stringMatching(/^chatcmpl-[A-Za-z0-9]+$/) as string,
      object: 'chat.completion',
      created: expect.any(Number) as number,
      model: door.slug,
      choices: [
        { index: 0, message: { role: 'assistant', content: 'one two three', refusal: null }, logprobs: null, finish_reason: 'stop' },
      ],
      usage: {
        prompt_tokens: 7,
        completion_tokens: 3,
        total_tokens: 10,
        prompt_tokens_details: { cached_tokens: 3, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
      },
    });
    expect(Number.isInteger(answer['created'])).toBe(true);
  });

  it('that is streamed keeps one id and time', async () => {
    const sse = await stream({ max_tokens: 2 });
    const chunks = chunksOf(sse);
    expect(new Set(chunks.map(({ id, object, created, model }) => JSON.stringify([id, object, created, model]))).size).toBe(1);
    expect(chunks[0]).toMatchObject({ object: 'chat.completion.chunk', model: door.slug });
    expect(chunks.map(({ choices }) => choices)).toEqual(
      [{ role: 'assistant', content: '' }, { content: 'one ' }, { content: 'two ' }, {}].map((delta, i) => [
        { index: 0, delta, logprobs: null, finish_reason: i === 3 ? 'length' : null },
      ]),
    );
    expect(sse).toMatch(/\n\ndata: \[DONE\]\n\n$/);
    expect(sse).not.toContain('usage');
  });

  it('reports its usage last, or in each chunk', async () => {
    const last = chunksOf(await stream({ stream_options: { include_usage: true, include_obfuscation: false } }));
    expect(last.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 10 } });
    expect(last.slice(0, -1).every(({ usage }) => usage === null)).toBe(true);
    const each = chunksOf(await stream({ stream_options: { include_usage: true, continuous_usage_stats: true } }));
    const counts = each.map(({ usage }) => usage?.['completion_tokens'] as number);
    // Pieces that wait for a busy process go out as one.
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts.every((count) => [1, 2, 3].includes(count))).toBe(true);
    expect([counts[0], counts.at(-1)]).toEqual([1, 3]);
  });

  it('that a stop string ended says only stop', async () => {
    door.runner.script = says(text('one '), { k: 'fin', r: 'stop_sequence', stop: 'two' });
    expect(await choiceOf({ stop: 'two' })).toMatchObject({ message: { content: 'one ' }, finish_reason: 'stop' });
    expect(chunksOf(await stream({ stop: ['two'] })).at(-1)?.choices[0]?.finish_reason).toBe('stop');
  });

  const calls: readonly StreamEvent[] = [
    { k: 'think', x: 'Weather, so ', n: 1 },
    { k: 'think', x: 'ask.', n: 1 },
    { k: 'call', i: 0, id: 'call_A', name: 'weather', n: 1 },
    { k: 'args', i: 0, x: '{"city":"Z', n: 1 },
    { k: 'args', i: 0, x: 'ürich"}', n: 1 },
    { k: 'call', i: 1, id: '9charsId1', name: 'now', n: 1 },
    { k: 'args', i: 1, x: '{}', n: 1 },
    fin('tool_calls'),
  ];
  const tools = ['weather', 'now'].map((name) => ({ type: 'function' as const, function: { name, parameters: { type: 'object' } } }));

  it('with calls names each once, then its arguments', async () => {
    door.runner.script = says(...calls);
    const chunks = chunksOf(await stream({ tools }));
    expect(chunks.map(({ choices }) => choices[0]!.delta).slice(0, 3)).toEqual([
      { role: 'assistant', content: '' },
      { reasoning_content: 'Weather, so ' },
      { reasoning_content: 'ask.' },
    ]);
    const deltas = chunks.flatMap(({ choices }) => choices[0]!.delta.tool_calls ?? []);
    const [first, second] = [0, 1].map((index) => deltas.filter((delta) => delta.index === index));
    expect(first?.[0]).toEqual({ index: 0, id: 'call_A', type: 'function', function: { name: 'weather', arguments: '' } });
    expect(second?.[0]).toEqual({ index: 1, id: '9charsId1', type: 'function', function: { name: 'now', arguments: '' } });
    for (const [pieces, whole] of [
      [first, '{"city":"Zürich"}'],
      [second, '{}'],
    ] as const) {
      expect(pieces?.slice(1).every((piece) => Object.keys(piece).join() === 'index,function')).toBe(true);
      expect(pieces?.map(({ function: { arguments: piece } }) => piece).join('')).toBe(whole);
    }
    const order = deltas.map(({ index }) => index);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'tool_calls' });
  });

  it('with calls as a document says null for content', async () => {
    door.runner.script = says(...calls);
    expect(await choiceOf({ tools })).toEqual({
      index: 0,
      message: {
        role: 'assistant',
        content: null,
        refusal: null,
        reasoning_content: 'Weather, so ask.',
        tool_calls: [
          { id: 'call_A', type: 'function', function: { name: 'weather', arguments: '{"city":"Zürich"}' } },
          { id: '9charsId1', type: 'function', function: { name: 'now', arguments: '{}' } },
        ],
      },
      logprobs: null,
      finish_reason: 'tool_calls',
    });
  });

  it('with calls is what the official client’s helper collects', async () => {
    door.runner.script = says(...calls);
    const final = await sdk()
      .chat.completions.stream({ ...asSdk, model: door.slug, tools })
      .finalChatCompletion();
    expect(final.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { tool_calls: [{ id: 'call_A' }, { id: '9charsId1' }] },
    });
  });

  it('of a schema is JSON, and may be cut', async () => {
    const format = { type: 'json_schema', json_schema: { name: 'x', strict: true, schema: { type: 'object' } } };
    door.runner.script = says(text('{"a"'), text(':1}'), fin());
    expect(await choiceOf({ response_format: format })).toMatchObject({ message: { content: '{"a":1}' }, finish_reason: 'stop' });
    door.runner.script = says(text('{"a"'), fin('length'));
    expect(await choiceOf({ response_format: format })).toMatchObject({ message: { content: '{"a"' }, finish_reason: 'length' });
  });

  const two = says(text('a', 0), text('x', 1), text('b', 0), fin('length', 1), text('c', 0), fin('stop', 0));

  it('of two choices has both, and one usage', async () => {
    door.runner.script = two;
    expect(await complete({ n: 2 })).toMatchObject({
      choices: [
        { index: 0, message: { content: 'abc' }, finish_reason: 'stop' },
        { index: 1, message: { content: 'x' }, finish_reason: 'length' },
      ],
      usage: { prompt_tokens: 7, completion_tokens: 4, total_tokens: 11 },
    });
  });

  it('of two choices streams each with role and finish', async () => {
    door.runner.script = two;
    const sse = await stream({ n: 2, stream_options: { include_usage: true } });
    const chunks = chunksOf(sse);
    for (const index of [0, 1]) {
      const own = chunks.flatMap(({ choices }) => choices.filter((choice) => choice.index === index));
      expect(own.filter(({ delta }) => 'role' in delta)).toHaveLength(1);
      expect(own[0]?.delta).toEqual({ role: 'assistant', content: '' });
      expect(own.filter(({ finish_reason: reason }) => reason !== null)).toHaveLength(1);
      expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(index === 0 ? 'abc' : 'x');
    }
    expect(chunks.every(({ choices }) => choices.length <= 1)).toBe(true);
    expect(chunks.filter(({ choices }) => choices.length === 0)).toHaveLength(1);
    expect(sse.match(/\[DONE\]/g)).toHaveLength(1);
  });

  it('with probabilities has one finite entry per token', async () => {
    const lp = (t: string, p: number) => [
      {
        t,
        p,
        top: [
          { t, p },
          { t: 'other', p: -20_000 },
        ],
      },
    ];
    door.runner.script = says(
      { ...text('Hel'), lp: lp('Hel', -0.1) } as StreamEvent,
      { ...text('lo'), lp: lp('lo', -20_000) } as StreamEvent,
      fin(),
    );
    const fields = { logprobs: true, top_logprobs: 2 };
    const streamed = chunksOf(await stream(fields)).flatMap(({ choices }) => choices[0]?.logprobs?.content ?? []);
    expect(streamed.map(({ token, logprob, top_logprobs: top }) => [token, logprob, top.length])).toEqual([
      ['Hel', -0.1, 2],
      ['lo', -9999, 2],
    ]);
    expect(((await choiceOf(fields)) as Choice).logprobs).toEqual({ content: streamed, refusal: null });
    expect(chunksOf(await stream()).every(({ choices }) => choices[0]?.logprobs === null)).toBe(true);
  });
});
