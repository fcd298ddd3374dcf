import Anthropic from '@anthropic-ai/sdk';
import { ServiceError } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { answerInWords, type ScriptedRunner, usageOf } from './scripted-runner.js';
import { serve, type Served } from './serve.js';

const WITHIN_MS = 30_000;

describe('the official messages SDK', () => {
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
  afterEach(() => {
    runner.script = answerInWords;
  });

  const client = (path = slug, apiKey = key): Anthropic => new Anthropic({ baseURL: `${gw.url}/${path}`, apiKey, maxRetries: 0 });
  const ask = (model = slug) => ({ model, max_tokens: 50, messages: [{ role: 'user' as const, content: 'one two three' }] });
  const failure = async (work: PromiseLike<unknown>): Promise<InstanceType<typeof Anthropic.APIError>> => {
    try {
      await work;
    } catch (error) {
      if (error instanceof Anthropic.APIError) return error;
      throw error;
    }
    throw new Error('It did not fail.');
  };

  it.each([
    ['its slug', () => slug, () => slug],
    ['account and alias', () => `${account.slug}/demo-7b`, () => 'demo-7b'],
  ])('gets a message by %s', async (_, path, model) => {
    const message = await client(path()).messages.create(ask(model()));
    expect(message).toMatchObject({ role: 'assistant', model: slug, content: [{ type: 'text', text: 'one two three' }] });
    expect(message).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 4, output_tokens: 3, cache_read_input_tokens: 3 } });
    expect(message._request_id).toMatch(/^req_/);
  });

  it('streams a response event by event', async () => {
    const stream = await client().messages.create({ ...ask(), stream: true });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types.filter((type, i) => type !== types[i - 1])).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  it('collects a stream with its helper', async () => {
    const stream = client().messages.stream(ask());
    expect(await stream.finalText()).toBe('one two three');
    expect(await stream.finalMessage()).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 4, output_tokens: 3 } });
  });

  it('gets the thoughts that it asked for', async () => {
    runner.script = async (_start, writer) => {
      writer.events([
        { k: 'think', x: 'hm', n: 1 },
        { k: 'text', x: 'yes', n: 1 },
        { k: 'fin', r: 'stop' },
      ]);
      return usageOf(2);
    };
    const thinking = { type: 'adaptive' as const };
    const content = [
      { type: 'thinking', thinking: 'hm', signature: '' },
      { type: 'text', text: 'yes' },
    ];
    expect(await client().messages.create({ ...ask(), thinking })).toMatchObject({ content });
    expect(
      await client()
        .messages.stream({ ...ask(), thinking })
        .finalMessage(),
    ).toMatchObject({ content });
  });

  it('counts the tokens of a prompt', async () => {
    expect(await client().messages.countTokens({ model: slug, messages: ask().messages })).toMatchObject({ input_tokens: 7 });
  });

  it('raises the class of each status', async () => {
    const stopped = `deployment-${rig.deployment(account.id, { desired: 'stopped', state: 'stopped' }).id}`;
    const idle = `deployment-${rig.deployment(account.id).id}`;
    const attempt = (path: string, apiKey = key, fields: object = {}): Promise<InstanceType<typeof Anthropic.APIError>> =>
      failure(client(path, apiKey).messages.create({ ...ask(path), ...fields }));
    await until('the feed has come', async () => (await attempt(idle)).status === 529, WITHIN_MS);
    const cases: [InstanceType<typeof Anthropic.APIError>, abstract new (...args: never[]) => Error, number, string][] = [
      [await attempt(slug, 'svc_dep_bad'), Anthropic.AuthenticationError, 401, 'authentication_error'],
      [await attempt(slug, rig.key(account.id, { kind: 'mcp' }).value), Anthropic.PermissionDeniedError, 403, 'permission_error'],
      [await attempt('deployment-9999'), Anthropic.NotFoundError, 404, 'not_found_error'],
      [await attempt(`${slug}/v1`), Anthropic.NotFoundError, 404, 'not_found_error'],
      [await attempt(stopped), Anthropic.ConflictError, 409, 'invalid_request_error'],
      [await attempt(slug, key, { temperature: 3 }), Anthropic.BadRequestError, 400, 'invalid_request_error'],
      [await attempt(idle), Anthropic.InternalServerError, 529, 'overloaded_error'],
    ];
    for (const [error, expected, status, type] of cases) {
      expect(error).toBeInstanceOf(expected);
      expect(error).toMatchObject({ status, type });
      expect(error.requestID).toMatch(/^req_/);
    }
  });

  it.each<[string, ScriptedRunner['script']]>([
    [
      'an engine that fails in mid-stream',
      async (_start, writer) => {
        writer.events([{ k: 'text', x: 'half ', n: 1 }]);
        return Promise.reject(new ServiceError('engine_error', 'The engine failed.'));
      },
    ],
    [
      'an engine that just stops',
      async (_start, writer) => {
        writer.events([{ k: 'text', x: 'half ', n: 1 }]);
        return usageOf(1);
      },
    ],
  ])('raises after the text that came: %s', async (_, script) => {
    runner.script = script;
    let text = '';
    const read = async (): Promise<void> => {
      for await (const event of await client().messages.create({ ...ask(), stream: true }))
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta') text += event.delta.text;
    };
    expect(await failure(read())).toMatchObject({ type: 'api_error' });
    expect(text).toBe('half ');
    expect(await failure(client().messages.stream(ask()).finalMessage())).toMatchObject({ type: 'api_error' });
  });
});
