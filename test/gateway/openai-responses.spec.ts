import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { ServiceError } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fin, says, text } from './chat-chunks.js';
import { type GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { answerInWords, answerSlowly, type ScriptedRunner } from './scripted-runner.js';
import { serve, type Served } from './serve.js';
import { StoreRig } from './store-rig.js';

type Input = OpenAI.Responses.ResponseInputItem[];

describe('the official SDK’s responses', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let runner: ScriptedRunner;
  let slug: string;
  let account: Served['account'];
  let key: string;

  beforeAll(async () => {
    ({ rig, gw, runner, account, slug, key } = await serve());
  });
  afterAll(() => rig?.end());
  afterEach(() => {
    runner.script = answerInWords;
  });

  const client = (path = slug, maxRetries = 0): OpenAI => new OpenAI({ baseURL: `${gw.url}/${path}/v1`, apiKey: key, maxRetries });
  const ask = { input: 'one two three' };
  const look: OpenAI.Responses.FunctionTool = { type: 'function', name: 'look', parameters: { type: 'object' }, strict: null };
  const failure = async (work: Promise<unknown>): Promise<InstanceType<typeof OpenAI.APIError>> => {
    try {
      await work;
    } catch (error) {
      return error as InstanceType<typeof OpenAI.APIError>;
    }
    throw new Error('It did not fail.');
  };

  it.each([
    ['its slug', () => slug, () => slug],
    ['account and alias', () => `${account.slug}/demo-7b`, () => 'demo-7b'],
  ])('come whole by %s', async (_, path, model) => {
    const response = await client(path()).responses.create({ model: model(), ...ask });
    expect(response.output_text).toBe('one two three');
    expect(response).toMatchObject({ status: 'completed', model: slug, usage: { total_tokens: 10 } });
    expect(response._request_id).toMatch(/^req_/);
  });

  it('come as a stream of events', async () => {
    const stream = await client().responses.create({ model: slug, ...ask, stream: true });
    let said = '';
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.output_text.delta') said += event.delta;
    }
    expect([said, types[0], types.at(-1)]).toEqual(['one two three', 'response.created', 'response.completed']);
  });

  it('are put together by the stream’s helper', async () => {
    runner.script = says({ k: 'think', x: 'hm', n: 1 }, text('yes'), fin());
    const final = await client()
      .responses.stream({ model: slug, ...ask })
      .finalResponse();
    expect(final.output_text).toBe('yes');
    expect(final.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  });

  it('call tools, and go on with their results', async () => {
    runner.script = async (start, writer, signal) => {
      if (start.req.messages.at(-1)?.role === 'tool') return answerInWords(start, writer, signal);
      const call = { k: 'call', i: 0, id: 'call_1', name: 'look', n: 1 } as const;
      return says(text('I look.'), call, { k: 'args', i: 0, x: '{"q":"x"}', n: 1 }, fin('tool_calls'))(start, writer, signal);
    };
    const input: Input = [{ role: 'user', content: 'x' }];
    const first = await client()
      .responses.stream({ model: slug, input, tools: [look], store: false })
      .finalResponse();
    const call = first.output.find(({ type }) => type === 'function_call') as OpenAI.Responses.ResponseFunctionToolCall;
    expect(call).toMatchObject({ name: 'look', arguments: '{"q":"x"}', call_id: 'call_1' });
    input.push(...(first.output as Input), { type: 'function_call_output', call_id: call.call_id, output: 'seen and done' });
    const second = await client().responses.create({ model: slug, input, tools: [look], store: false });
    expect(second.output_text).toBe('seen and done');
  });

  it('are parsed by the schema that was asked for', async () => {
    runner.script = says(text('{"city":'), text('"Zürich"}'), fin());
    const format = zodTextFormat(z.object({ city: z.string() }), 'place');
    const { output_parsed: parsed } = await client().responses.parse({ model: slug, ...ask, text: { format } });
    expect(parsed).toEqual({ city: 'Zürich' });
    expect(runner.admitted.at(-1)?.req.output).toMatchObject({ kind: 'json_schema', name: 'place', strict: true });
  });

  it('that fail in mid-stream raise after their text', async () => {
    runner.script = async (_start, writer) => {
      writer.events([text('half ')]);
      throw new ServiceError('worker_lost', 'The worker is gone.');
    };
    const stream = await client().responses.create({ model: slug, ...ask, stream: true });
    let said = '';
    const read = async (): Promise<void> => {
      for await (const event of stream) if (event.type === 'response.output_text.delta') said += event.delta;
    };
    expect(await failure(read())).toMatchObject({ code: 'worker_lost', message: expect.stringContaining('The worker is gone.') as string });
    expect(said).toBe('half ');
    const helper = client().responses.stream({ model: slug, ...ask });
    expect((await failure(helper.finalResponse())).message).toContain('The worker is gone.');
  });

  it('of a stopped deployment are requested once', async () => {
    const stopped = rig.deployment(account.id, { desired: 'stopped', state: 'stopped' });
    let requests = 0;
    const counting = new OpenAI({
      baseURL: `${gw.url}/deployment-${stopped.id}/v1`,
      apiKey: key,
      fetch: (url, init) => {
        requests += 1;
        return fetch(url, init);
      },
    });
    const asked = (): Promise<InstanceType<typeof OpenAI.APIError>> => failure(counting.responses.create({ model: 'x', ...ask }));
    await until('the feed has come', async () => (await asked()).code === 'deployment_stopped');
    requests = 0;
    expect(await asked()).toBeInstanceOf(OpenAI.BadRequestError);
    expect(requests).toBe(1);
  });

  it('are cancelled at the worker when their client leaves', async () => {
    runner.script = answerSlowly(10_000, 5);
    const before = runner.cancelled;
    const stream = await client().responses.create({ model: slug, ...ask, stream: true });
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    await until('the worker hears of it', () => runner.cancelled === before + 1);
    await until('the slot is free', () => runner.used === 0);
  });

  it('that were not kept cannot be retrieved', async () => {
    expect(await failure(client().responses.retrieve('resp_1'))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await failure(client().responses.create({ model: slug, ...ask, previous_response_id: 'resp_1' }))).toMatchObject({
      ...{ status: 400, code: 'previous_response_not_found', param: 'previous_response_id' },
    });
  });
});

describe('the official SDK’s stored responses', () => {
  it('are continued, read, listed and deleted', async () => {
    const stage = await StoreRig.start();
    try {
      const { gateways, deployment, key } = stage;
      const model = `deployment-${deployment.id}`;
      const { responses } = new OpenAI({ baseURL: `${gateways[0]!.url}/${model}/v1`, apiKey: key, maxRetries: 0 });
      const first = await responses.create({ model, input: 'one two', store: true });
      const next = await responses.create({ model, input: 'three', previous_response_id: first.id });
      expect(stage.heard).toEqual(['user: one two', 'assistant: one two', 'user: three']);
      expect(await responses.retrieve(next.id)).toMatchObject({ id: next.id, output_text: 'three', previous_response_id: first.id });
      const items: string[] = [];
      for await (const item of responses.inputItems.list(next.id, { order: 'asc', limit: 2 })) items.push(item.type ?? '');
      expect(items).toEqual(['message', 'message', 'message']);
      await responses.delete(first.id);
      const gone = await responses.retrieve(first.id).catch((error: unknown) => error);
      expect(gone).toBeInstanceOf(OpenAI.NotFoundError);
    } finally {
      await stage.end();
    }
  });
});
