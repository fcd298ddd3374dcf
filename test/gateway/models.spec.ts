import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Door } from './door.js';
import { until } from './gateway-rig.js';
import { CONTRACTS } from './expect-row.js';
import type { RawAnswer } from './raw-answer.js';
import { rawRequest } from './raw-client.js';

const MESSAGES = 'anthropic-version: 2023-06-01';

describe('lists of models', () => {
  let door: Door;
  let chat: Record<string, unknown>;
  let messages: Record<string, unknown>;

  beforeAll(async () => {
    const [contract] = CONTRACTS;
    door = await Door.open({ contract });
    chat = { id: door.slug, object: 'model', created: 0, owned_by: 'acme' };
    messages = {
      type: 'model',
      id: door.slug,
      display_name: door.slug,
      created_at: '1970-01-01T00:00:00Z',
      ...{
        capabilities: null,
        deprecated_at: null,
        lifecycle: 'active',
        line: null,
        max_input_tokens: null,
        max_tokens: null,
        retires_at: null,
      },
    };
  });
  afterAll(() => door?.end());
  afterEach(() => door.reset());

  const get = async (path: string, headers: readonly string[] = [`X-API-Key: ${door.key}`], method = 'GET'): Promise<RawAnswer> =>
    (await door.converse(rawRequest(path, headers, '', method), 1, method === 'HEAD')).answers[0]!;
  const bodyOf = ({ body }: RawAnswer): unknown => JSON.parse(body);
  const asMessages = (): string[] => [`Authorization: Bearer ${door.key}`, MESSAGES];

  it('hold the deployment by slug or requested alias', async () => {
    const bySlug = await get(`/${door.slug}/v1/models`);
    expect({ status: bySlug.status, body: bodyOf(bySlug) }).toEqual({ status: 200, body: { object: 'list', data: [chat] } });
    expect(bySlug.headers.get('content-type')).toBe('application/json');
    expect(bySlug.headers.get('x-request-id')).toMatch(/^req_/);
    expect(bodyOf(await get('/acme/demo-7b/v1/models?limit=5'))).toEqual({ object: 'list', data: [{ ...chat, id: 'demo-7b' }] });
  });

  it('have the messages form for messages clients', async () => {
    const answer = await get(`/${door.slug}/v1/models`, asMessages());
    expect(bodyOf(answer)).toEqual({ data: [messages], has_more: false, first_id: door.slug, last_id: door.slug });
    expect(answer.headers.get('request-id')).toMatch(/^req_/);
    const byAlias = { ...messages, id: 'demo-7b', display_name: 'demo-7b' };
    expect(bodyOf(await get('/acme/demo-7b/v1/models/demo-7b', asMessages()))).toEqual(byAlias);
  });

  it('give one model by each of its names', async () => {
    expect(bodyOf(await get(`/acme/demo-7b/v1/models/${door.slug}`))).toEqual(chat);
    expect(bodyOf(await get('/acme/demo-7b/v1/models/acme%2Fdemo-7b'))).toEqual({ ...chat, id: 'acme/demo-7b' });
    const none = await get(`/${door.slug}/v1/models/gpt-4`);
    expect({ status: none.status, body: bodyOf(none) }).toMatchObject({
      status: 404,
      body: { error: { code: 'model_not_found', param: 'model' } },
    });
    expect(bodyOf(await get(`/${door.slug}/v1/models/gpt-4`, asMessages()))).toMatchObject({
      type: 'error',
      error: { type: 'not_found_error' },
    });
  });

  it('report the context length where it is known', async () => {
    const { id } = door.rig.deployment(door.account.id, { context: 4096 });
    const answer = async (): Promise<RawAnswer> => get(`/deployment-${id}/v1/models`);
    await until('the gateway knows it', async () => (await answer()).status === 200, 30_000);
    expect(bodyOf(await answer())).toMatchObject({ data: [{ max_model_len: 4096 }] });
    expect(bodyOf(await get(`/deployment-${id}/v1/models`, asMessages()))).toMatchObject({ data: [{ max_input_tokens: 4096 }] });
  });

  it('say what a deployment does and takes', async () => {
    const of = async (caps: string[]): Promise<unknown> => {
      const { id } = door.rig.deployment(door.account.id, { context: 4096, caps });
      const answer = async (): Promise<RawAnswer> => get(`/deployment-${id}/v1/models/deployment-${id}`);
      await until('the gateway knows it', async () => (await answer()).status === 200, 30_000);
      return bodyOf(await answer());
    };
    expect(await of(['images', 'json_object', 'tools'])).toMatchObject({
      context_length: 4096,
      architecture: { modality: 'text+image->text', input_modalities: ['text', 'image'], output_modalities: ['text'] },
      supported_parameters: expect.arrayContaining(['max_tokens', 'tools', 'response_format']) as unknown,
      top_provider: { context_length: 4096, max_completion_tokens: 4096 },
    });
    expect(await of(['embed', 'dimensions:384', 'matryoshka'])).toMatchObject({
      max_model_len: 4096,
      architecture: { modality: 'text->embeddings', output_modalities: ['embeddings'] },
      supported_parameters: ['encoding_format', 'dimensions'],
      top_provider: { max_completion_tokens: null },
    });
  });

  it('support HEAD, and name methods in the client’s form', async () => {
    expect(await get(`/${door.slug}/v1/models`, undefined, 'HEAD')).toMatchObject({ status: 200, body: '' });
    const post = await get(`/${door.slug}/v1/models`, undefined, 'POST');
    expect({ status: post.status, allow: post.headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
    expect(bodyOf(post)).toMatchObject({ error: { type: 'invalid_request_error', code: 'method_not_allowed' } });
    const put = await get('/acme/demo-7b/v1/models/x', asMessages(), 'PUT');
    expect({ status: put.status, allow: put.headers.get('allow') }).toEqual({ status: 405, allow: 'GET, HEAD' });
    expect(bodyOf(put)).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } });
  });

  it.each<[string, () => string, () => readonly string[], readonly [number, string]]>([
    ['no key', () => door.slug, () => [], [401, 'missing_api_key']],
    ['a wrong key', () => door.slug, () => ['X-API-Key: svc_dep_no'], [401, 'invalid_api_key']],
    ['a deployment of another account', () => door.slugOf('foreign'), () => [`X-API-Key: ${door.key}`], [404, 'model_not_found']],
    ['no such deployment', () => 'deployment-99999', () => [`X-API-Key: ${door.key}`], [404, 'model_not_found']],
    ['a stopped deployment', () => door.slugOf('stopped'), () => [`X-API-Key: ${door.key}`], [409, 'deployment_stopped']],
    ['a deployment that is starting', () => door.slugOf('starting'), () => [`X-API-Key: ${door.key}`], [503, 'deployment_unavailable']],
  ])('fail for %s in the form of either contract', async (_, slug, headers, [status, code]) => {
    const answer = await get(`/${slug()}/v1/models`, headers());
    door.contract.expectRefusal(answer, { status, code });
    const asked = await get(`/${slug()}/v1/models`, [...headers(), MESSAGES]);
    expect(bodyOf(asked)).toMatchObject({
      type: 'error',
      error: { details: { error_code: code } },
      request_id: expect.stringMatching(/^req_/),
    });
  });

  it('are found by the official clients of both contracts', async () => {
    const base = `http://127.0.0.1:${door.gateway.port}/acme/demo-7b`;
    const openai = new OpenAI({ baseURL: `${base}/v1`, apiKey: door.key, maxRetries: 0 });
    expect((await openai.models.list()).data.map(({ id }) => id)).toEqual(['demo-7b']);
    expect(await openai.models.retrieve('acme/demo-7b')).toMatchObject({ id: 'acme/demo-7b', owned_by: 'acme' });
    await expect(openai.models.retrieve('gpt-4')).rejects.toBeInstanceOf(OpenAI.NotFoundError);
    const anthropic = new Anthropic({ baseURL: base, apiKey: door.key, maxRetries: 0 });
    const ids: string[] = [];
    for await (const { id } of anthropic.models.list()) ids.push(id);
    expect(ids).toEqual(['demo-7b']);
    expect(await anthropic.models.retrieve(door.slug)).toMatchObject({ id: door.slug, type: 'model' });
    await expect(anthropic.models.retrieve('claude')).rejects.toBeInstanceOf(Anthropic.NotFoundError);
  });
});
