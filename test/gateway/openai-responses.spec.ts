import OpenAI from 'openai';
import { zodTextFormat } from 'openai/helpers/zod';
import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { fin, says, text } from './chat-chunks.js';
import { until } from './gateway-rig.js';
import { failureOf as failure, OfficialSdk } from './official-sdk.js';
import { answerInWords, answerSlowly } from './scripted-runner.js';
import { StoreRig } from './store-rig.js';

type Input = OpenAI.Responses.ResponseInputItem[];

describe('the official SDK’s responses', () => {
  const sdk = OfficialSdk.around();
  const client = (path?: string): OpenAI => sdk.client(path);
  const ask = { input: 'one two three' };
  const look: OpenAI.Responses.FunctionTool = { type: 'function', name: 'look', parameters: { type: 'object' }, strict: null };
  it.each([
    ['its slug', () => sdk.slug, () => sdk.slug],
    ['account and alias', () => `${sdk.account.slug}/demo-7b`, () => 'demo-7b'],
  ])('come whole by %s', async (_, path, model) => {
    const response = await client(path()).responses.create({ model: model(), ...ask });
    expect(response.output_text).toBe('one two three');
    expect(response).toMatchObject({ status: 'completed', model: sdk.slug, usage: { total_tokens: 10 } });
    expect(response._request_id).toMatch(/^req_/);
  });

  it('come as a stream of events', async () => {
    const stream = await client().responses.create({ model: sdk.slug, ...ask, stream: true });
    let said = '';
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.output_text.delta') said += event.delta;
    }
    expect([said, types[0], types.at(-1)]).toEqual(['one two three', 'response.created', 'response.completed']);
  });

  it('are put together by the stream’s helper', async () => {
    sdk.runner.script = says({ k: 'think', x: 'hm', n: 1 }, text('yes'), fin());
    const final = await client()
      .responses.stream({ model: sdk.slug, ...ask })
      .finalResponse();
    expect(final.output_text).toBe('yes');
    expect(final.output.map(({ type }) => type)).toEqual(['reasoning', 'message']);
  });

  it('call tools, and go on with their results', async () => {
    sdk.runner.script = async (start, writer, signal) => {
      if (start.req.messages.at(-1)?.role === 'tool') return answerInWords(start, writer, signal);
      const call = { k: 'call', i: 0, id: 'call_1', name: 'look', n: 1 } as const;
      return says(text('I look.'), call, { k: 'args', i: 0, x: '{"q":"x"}', n: 1 }, fin('tool_calls'))(start, writer, signal);
    };
    const input: Input = [{ role: 'user', content: 'x' }];
    const first = await client()
      .responses.stream({ model: sdk.slug, input, tools: [look], store: false })
      .finalResponse();
    const call = first.output.find(({ type }) => type === 'function_call') as OpenAI.Responses.ResponseFunctionToolCall;
    expect(call).toMatchObject({ name: 'look', arguments: '{"q":"x"}', call_id: 'call_1' });
    input.push(...(first.output as Input), { type: 'function_call_output', call_id: call.call_id, output: 'seen and done' });
    const second = await client().responses.create({ model: sdk.slug, input, tools: [look], store: false });
    expect(second.output_text).toBe('seen and done');
  });

  it('are parsed by the schema that was asked for', async () => {
    sdk.runner.script = says(text('{"city":'), text('"Zürich"}'), fin());
    const format = zodTextFormat(z.object({ city: z.string() }), 'place');
    const { output_parsed: parsed } = await client().responses.parse({ model: sdk.slug, ...ask, text: { format } });
    expect(parsed).toEqual({ city: 'Zürich' });
    expect(sdk.runner.admitted.at(-1)?.req.output).toMatchObject({ kind: 'json_schema', name: 'place', strict: true });
  });

  it('that fail in mid-stream raise after their text', async () => {
    sdk.runner.script = async (_start, writer) => {
      writer.events([text('half ')]);
      throw new ServiceError('worker_lost', 'The worker is gone.');
    };
    const stream = await client().responses.create({ model: sdk.slug, ...ask, stream: true });
    let said = '';
    const read = async (): Promise<void> => {
      for await (const event of stream) if (event.type === 'response.output_text.delta') said += event.delta;
    };
    expect(await failure(read())).toMatchObject({ code: 'worker_lost', message: expect.stringContaining('The worker is gone.') as string });
    expect(said).toBe('half ');
    const helper = client().responses.stream({ model: sdk.slug, ...ask });
    expect((await failure(helper.finalResponse())).message).toContain('The worker is gone.');
  });

  it('of a stopped deployment are requested once', async () => {
    const { rig, gw, account, key } = sdk.served;
    const { id } = rig.deployment(account.id, { desired: 'stopped', state: 'stopped' });
    let requests = 0;
    const count: typeof fetch = (...request) => {
      requests += 1;
      return fetch(...request);
    };
    const counting = new OpenAI({ baseURL: `${gw.url}/deployment-${id}/v1`, apiKey: key, fetch: count });
    const asked = (): ReturnType<typeof failure> => failure(counting.responses.create({ model: 'x', ...ask }));
    await until('the feed has come', async () => (await asked()).code === 'deployment_stopped');
    requests = 0;
    expect(await asked()).toBeInstanceOf(OpenAI.BadRequestError);
    expect(requests).toBe(1);
  });

  it('are cancelled at the worker when their client leaves', async () => {
    const { runner, slug } = sdk;
    runner.script = answerSlowly(10_000, 5);
    const before = runner.cancelled;
    const stream = await client().responses.create({ model: slug, ...ask, stream: true });
    for await (const event of stream) if (event.type === 'response.output_text.delta') break;
    await until('the worker hears of it', () => runner.cancelled === before + 1);
    await until('the slot is free', () => runner.used === 0);
  });

  it('that were not kept cannot be retrieved', async () => {
    expect(await failure(client().responses.retrieve('resp_1'))).toMatchObject({ status: 404, code: 'not_found' });
    expect(await failure(client().responses.create({ model: sdk.slug, ...ask, previous_response_id: 'resp_1' }))).toMatchObject({
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
