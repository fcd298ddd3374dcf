import Anthropic from '@anthropic-ai/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { ANSWERS, args, call, fin, type Fields, saying, start, text, textBlock, think, THINKING, TOOLS } from './messages-events.js';
import { answerInWords, pause, type ScriptedRunner, usageOf } from './scripted-runner.js';
import { serve, type Served } from './serve.js';

const WITHIN_MS = 30_000;

interface Event extends Fields {
  readonly type: string;
}

describe('a messages answer', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let runner: ScriptedRunner;
  let account: Served['account'];
  let slug: string;
  let key: string;

  beforeAll(async () => {
    ({ rig, gw, runner, account, slug, key } = await serve());
  }, 60_000);
  afterAll(() => rig?.end());
  afterEach(async () => {
    await until('nothing runs', () => runner.used === 0, WITHIN_MS);
    runner.script = answerInWords;
  });

  const post = (fields: Fields, apiKey = key, name = slug): Promise<Response> =>
    fetch(`${gw.url}/${name}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      body: JSON.stringify({ model: name, max_tokens: 50, messages: [{ role: 'user', content: 'one two' }], ...fields }),
    });
  const eventsOf = async (response: Response): Promise<Event[]> => {
    const body = await response.text();
    const frames = body.split('\n\n').slice(0, -1);
    return frames.map((frame) => {
      const [, name, json] = /^event: (\w+)\ndata: (\{[^\n]*\})$/.exec(frame) ?? expect.unreachable(`Not a frame: ${frame}`);
      const event = JSON.parse(json!) as Event;
      expect(event.type).toBe(name);
      return event;
    });
  };
  const client = (): Anthropic => new Anthropic({ baseURL: `${gw.url}/${slug}`, apiKey: key, maxRetries: 0 });

  it.each(ANSWERS)('of %s is the same whole and streamed', async (_, fields, script, expected) => {
    runner.script = script;
    const whole = (await (await post(fields)).json()) as Fields;
    expect(whole).toMatchObject(expected);
    const stream = client().messages.stream({ model: slug, max_tokens: 50, messages: [{ role: 'user', content: 'x' }], ...fields });
    const { content, stop_reason: reason, stop_sequence: stop, usage } = await stream.finalMessage();
    const kept = (whole['content'] as Event[]).length < content.length ? content.slice(0, -1) : content;
    expect({ content: kept, reason, stop, usage }).toMatchObject({
      content: whole['content'],
      reason: whole['stop_reason'],
      stop: whole['stop_sequence'],
      usage: whole['usage'],
    });
  });

  it.each(ANSWERS)('of %s has ordered blocks and one end', async (_, fields, script) => {
    runner.script = script;
    const events = await eventsOf(await post({ ...fields, stream: true }));
    const shape = events.map(({ type }) => type).filter((type, i, all) => type !== 'content_block_delta' || all[i - 1] !== type);
    expect(shape.join(' ')).toMatch(
      /^message_start( content_block_start( content_block_delta)? content_block_stop)* message_delta message_stop$/,
    );
    let index = 0;
    for (const event of events.filter(({ type }) => type.startsWith('content_block'))) {
      expect(event['index']).toBe(index);
      if (event.type === 'content_block_stop') index += 1;
    }
    const usages = [(events[0]!['message'] as Fields)['usage'], events.at(-2)!['usage']];
    expect(usages[0]).toEqual({ input_tokens: 4, output_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 3 });
    expect(usages[1]).toMatchObject({ input_tokens: 4, cache_creation_input_tokens: 0, cache_read_input_tokens: 3 });
  });

  it('has exact bodies for thoughts, text and calls', async () => {
    const events = [start, think('hm'), text('I look.'), call(0), args(0, '{"q":1}'), call(1), args(1, '{}'), fin('tool_calls')];
    runner.script = saying(events);
    const streamed = await eventsOf(await post({ ...THINKING, ...TOOLS, stream: true }));
    const delta = (index: number, fields: object) => ({ type: 'content_block_delta', index, delta: fields });
    const stop = (index: number) => ({ type: 'content_block_stop', index });
    const block = (index: number, fields: object) => ({ type: 'content_block_start', index, content_block: fields });
    expect(streamed.slice(1, -2)).toEqual([
      block(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, { type: 'thinking_delta', thinking: 'hm' }),
      delta(0, { type: 'signature_delta', signature: '' }),
      stop(0),
      block(1, { type: 'text', text: '' }),
      delta(1, { type: 'text_delta', text: 'I look.' }),
      stop(1),
      block(2, { type: 'tool_use', id: 'call_0', name: 'look', input: {} }),
      delta(2, { type: 'input_json_delta', partial_json: '{"q":1}' }),
      stop(2),
      block(3, { type: 'tool_use', id: 'call_1', name: 'look', input: {} }),
      delta(3, { type: 'input_json_delta', partial_json: '{}' }),
      stop(3),
    ]);
  });

  it('reaches a client that retries until workers exist', async () => {
    const late = rig.deployment(account.id);
    const name = `deployment-${late.id}`;
    await until('the feed has come', async () => (await post({}, key, name)).status === 529, WITHIN_MS);
    let requests = 0;
    const patient = new Anthropic({
      baseURL: `${gw.url}/${name}`,
      apiKey: key,
      maxRetries: 20,
      fetch: async (url, init) => {
        requests += 1;
        if (requests === 2) await rig.runner({ dep: late.id });
        return fetch(url, init);
      },
    });
    const message = await patient.messages.create({ model: name, max_tokens: 50, messages: [{ role: 'user', content: 'one two' }] });
    expect(message.content).toEqual([textBlock('one two')]);
    expect(requests).toBeGreaterThan(1);
  });

  it('reports its prompt tokens first, however late', async () => {
    runner.script = async (_start, writer, signal) => {
      writer.events([{ k: 'start', prompt: 21 }]);
      await pause(200, signal);
      writer.events([text('a'), fin('stop')]);
      return { ...usageOf(1), usage: { prompt: 21, cached: 20, completion: 1 } };
    };
    const events = await eventsOf(await post({ stream: true }));
    expect(events[0]).toMatchObject({ message: { usage: { input_tokens: 21, cache_read_input_tokens: 0, output_tokens: 0 } } });
    expect(events.at(-2)).toMatchObject({ usage: { input_tokens: 1, cache_read_input_tokens: 20, output_tokens: 1 } });
  });
});
