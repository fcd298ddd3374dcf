import OpenAI from 'openai';
import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { until } from './gateway-rig.js';
import { failureOf as failure, OfficialSdk } from './official-sdk.js';
import { type ScriptedRunner, staySilent, usageOf } from './scripted-runner.js';

describe('the official SDK', () => {
  const sdk = OfficialSdk.around();
  const client = (...at: Parameters<OfficialSdk['client']>): OpenAI => sdk.client(...at);
  const messages = [{ role: 'user' as const, content: 'one two three' }];
  const ask = (model = sdk.slug) => ({ model, messages });
  it.each([
    ['its slug', () => sdk.slug, () => sdk.slug],
    ['account and alias', () => `${sdk.account.slug}/demo-7b`, () => 'demo-7b'],
    ['account and alias, with both as the model', () => `${sdk.account.slug}/demo-7b`, () => `${sdk.account.slug}/demo-7b`],
  ])('gets an answer by %s', async (_, path, model) => {
    const completion = await client(path()).chat.completions.create(ask(model()));
    expect(completion.choices[0]).toMatchObject({ message: { role: 'assistant', content: 'one two three' }, finish_reason: 'stop' });
    expect(completion.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 3, total_tokens: 10 });
    expect(completion.model).toBe(sdk.slug);
    expect(completion._request_id).toMatch(/^req_/);
  });

  it('streams a response chunk by chunk', async () => {
    const stream = await client(`${sdk.account.slug}/demo-7b`).chat.completions.create({
      ...ask('demo-7b'),
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' });
    expect(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('')).toBe('one two three');
    expect(chunks.filter((chunk) => chunk.choices[0]?.finish_reason).map((chunk) => chunk.choices[0]?.finish_reason)).toEqual(['stop']);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 10 } });
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1);
  });

  it('collects a stream with its helper', async () => {
    const final = await client().chat.completions.stream(ask()).finalChatCompletion();
    expect(final.choices[0]?.message.content).toBe('one two three');
  });

  it('gets as many tokens as max_tokens allows', async () => {
    const completion = await client().chat.completions.create({ ...ask(), max_tokens: 2 });
    expect(completion.choices[0]).toMatchObject({ message: { content: 'one two ' }, finish_reason: 'length' });
  });

  it('hands its parameters to the engine, and only those', async () => {
    const extra = { n_predict: -1, top_k: 5 };
    await client().chat.completions.create({ ...ask(), temperature: 0.5, stop: 'x', seed: 3, max_tokens: 999, ...extra } as never);
    expect(sdk.runner.admitted.at(-1)?.req).toEqual({
      messages: [{ role: 'user', content: [{ type: 'text', text: 'one two three' }] }],
      sampling: { temperature: 0.5, seed: 3, top_k: 5 },
      stop: ['x'],
      max_tokens: 100,
    });
  });

  it('raises the class of each status', async () => {
    const stopped = sdk.rig.deployment(sdk.account.id, { desired: 'stopped', state: 'stopped' });
    const idle = sdk.rig.deployment(sdk.account.id);
    await until(
      'the feed has come',
      async () => (await failure(client(`deployment-${idle.id}`).chat.completions.create(ask(`deployment-${idle.id}`)))).status === 503,
    );
    const cases: [Promise<unknown>, abstract new (...args: never[]) => Error, number, string][] = [
      [client(sdk.slug, 'svc_dep_bad').chat.completions.create(ask()), OpenAI.AuthenticationError, 401, 'invalid_api_key'],
      [
        client(sdk.slug, sdk.rig.key(sdk.account.id, { kind: 'mcp' }).value).chat.completions.create(ask()),
        OpenAI.PermissionDeniedError,
        403,
        'insufficient_scope',
      ],
      [client('deployment-99').chat.completions.create(ask()), OpenAI.NotFoundError, 404, 'model_not_found'],
      [client(`deployment-${stopped.id}`).chat.completions.create(ask()), OpenAI.ConflictError, 409, 'deployment_stopped'],
      [
        client(`deployment-${idle.id}`).chat.completions.create(ask(`deployment-${idle.id}`)),
        OpenAI.InternalServerError,
        503,
        'deployment_unavailable',
      ],
      [client().chat.completions.create({ ...ask(), temperature: 3 }), OpenAI.BadRequestError, 400, 'invalid_value'],
      [client().chat.completions.create({ ...ask(), n: 9 }), OpenAI.BadRequestError, 400, 'invalid_value'],
      [client().chat.completions.create(ask('gpt-4')), OpenAI.BadRequestError, 400, 'model_mismatch'],
      [client(`${sdk.slug}/v1`).chat.completions.create(ask()), OpenAI.NotFoundError, 404, 'not_found'],
    ];
    for (const [work, type, status, code] of cases) {
      const error = await failure(work);
      expect(error).toBeInstanceOf(type);
      expect(error).toMatchObject({ status, code });
      expect(error.requestID).toMatch(/^req_/);
    }
  });

  it('gets an error for long prompts before streaming', async () => {
    sdk.runner.script = () =>
      Promise.reject(new ServiceError('context_length_exceeded', 'Too long.', { facts: { tokens: 5_000, context: 100 } }));
    for (const stream of [false, true]) {
      const error = await failure(client().chat.completions.create({ ...ask(), stream }));
      expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded', param: 'messages' });
      expect(error.message).toContain('maximum context length is 100 tokens');
    }
  });

  it('gets a status for early failures of engines', async () => {
    sdk.runner.script = () => Promise.reject(new ServiceError('engine_error', 'The engine failed.'));
    expect(await failure(client().chat.completions.create({ ...ask(), stream: true }))).toMatchObject({
      status: 502,
      code: 'engine_error',
    });
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
    sdk.runner.script = script;
    const stream = await client().chat.completions.create({ ...ask(), stream: true });
    let text = '';
    const error = await failure(
      (async () => {
        for await (const chunk of stream) {
          text += chunk.choices[0]?.delta.content ?? '';
          expect(chunk.choices[0]?.finish_reason).toBeNull();
        }
      })(),
    );
    expect(text).toBe('half ');
    expect(error).toBeInstanceOf(OpenAI.APIError);
    expect(error.code).toBe('engine_error');
  });

  it.each([true, false])('cancels early requests at the worker (stream: %s)', async (stream) => {
    sdk.runner.script = staySilent;
    const before = { cancelled: sdk.runner.cancelled, admitted: sdk.runner.admitted.length };
    const leaving = new AbortController();
    const request = failure(client().chat.completions.create({ ...ask(), stream }, { signal: leaving.signal }));
    await until('the worker has it', () => sdk.runner.admitted.length === before.admitted + 1);
    leaving.abort();
    expect(await request).toBeInstanceOf(OpenAI.APIUserAbortError);
    await until('the worker hears of it', () => sdk.runner.cancelled === before.cancelled + 1);
  });
});
