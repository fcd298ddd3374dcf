import { Controller, Post } from '@nestjs/common';
import { type EndFrame, ServiceError, type StreamEvent } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Accepts, Context, type InferenceContext } from '../../apps/gateway/src/http/request-context.js';
import { InferenceService } from '../../apps/gateway/src/inference/inference.service.js';
import { SurfaceRegistry } from '../../apps/gateway/src/surfaces/registry.js';
import { readerOf } from '../../apps/gateway/src/surfaces/shared/checker.js';
import type { ErrorFormat, ResponseWriter, Surface, SurfaceRegistration } from '../../apps/gateway/src/surfaces/surface.js';
import { SURFACES } from '../../apps/gateway/src/surfaces/surfaces.js';
import { GatewayRig, type RunningGateway } from './gateway-rig.js';

/** Plain text in, plain text out: as far from the other two contracts as one can be. */
const plainErrors: ErrorFormat = {
  status: ({ code }) => (code === 'model_mismatch' ? 400 : 418),
  body: ({ code, message }, requestId) => `"${code}: ${message} (${requestId})"`,
};

class PlainWriter implements ResponseWriter {
  #text = '';

  keepAlive(): string {
    return '\n';
  }

  frames(events: readonly StreamEvent[]): string {
    return events.map((event) => (event.k === 'text' ? event.x : '')).join('');
  }
  lastFrames(end: EndFrame): string {
    return `\n${end.usage.completion} tokens`;
  }
  errorFrame(error: ServiceError): string {
    return `\nfailed: ${error.code}`;
  }
  collect(events: readonly StreamEvent[]): void {
    this.#text += this.frames(events);
  }
  document(): string {
    return JSON.stringify(this.#text);
  }
}

const readPlain = readerOf(z.object({ say: z.string(), stream: z.boolean().nullish() }), {
  name: (path) => path.join('/'),
  error: ({ code, expected }, param) => new ServiceError(code, `${param}: ${expected ?? 'needed'}`, { param }),
});

const plainSurface: Surface = {
  api: 'chat',
  errors: plainErrors,
  read: (body) => {
    const { say, stream } = readPlain(body);
    return {
      canonical: { messages: [{ role: 'user', content: [{ type: 'text', text: say }] }], sampling: {}, stop: [] },
      stream: stream ?? false,
      affinity: undefined,
    };
  },
  writer: () => new PlainWriter(),
};

@Controller()
class PlainController {
  constructor(private readonly inference: InferenceService) {}

  @Post([':deployment/v1/plain', ':account/:alias/v1/plain'])
  @Accepts('deployment-key')
  say(@Context() context: InferenceContext): Promise<void> {
    return this.inference.generate(plainSurface, context);
  }
}

const plainRegistration: SurfaceRegistration = {
  controllers: [PlainController],
  errors: plainErrors,
  endpoints: [{ method: 'POST', path: '/v1/plain' }],
  api: 'chat',
  owns: (path) => path.endsWith('/plain'),
  header: 'x-plain',
  models: { one: ({ id }) => ({ plain: id }), list: ({ id }) => ({ plain: [id] }) },
  hint: (path, baseUrl) => (path === '/plain' ? `Go to ${baseUrl}/deployment-<id>/v1/plain.` : null),
};

describe('a third public contract', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let slug: string;
  let key: string;

  beforeAll(async () => {
    rig = await GatewayRig.start();
    const account = rig.account();
    key = rig.key(account.id).value;
    const deployment = rig.deployment(account.id);
    slug = `deployment-${deployment.id}`;
    await rig.runner({ dep: deployment.id });
    gw = await rig.gateway({ surfaces: new SurfaceRegistry([...SURFACES.all, plainRegistration]) });
    await rig.whenAnswering(gw, deployment, key);
  }, 60_000);
  afterAll(() => rig?.end());

  const post = (path: string, body: object, headers: object = { 'x-api-key': key }): Promise<Response> =>
    fetch(`${gw.url}/${path}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });

  it('is served whole and streamed from one folder', async () => {
    expect(await (await post(`${slug}/v1/plain`, { say: 'one two' })).json()).toBe('one two');
    expect(await (await post(`${slug}/v1/plain`, { say: 'one two', stream: true })).text()).toBe('one two\n2 tokens');
  });

  it('checks bodies by a schema of its own', async () => {
    expect(await (await post(`${slug}/v1/plain`, { say: 5 })).text()).toMatch(/^"invalid_type: say: a string \(/);
    expect(await (await post(`${slug}/v1/plain`, {})).text()).toMatch(/^"missing_required_parameter: say: needed \(/);
  });

  it('has its own errors, methods and hints', async () => {
    const refused = await post(`${slug}/v1/plain`, {}, {});
    expect({ status: refused.status, body: await refused.text() }).toMatchObject({
      status: 418,
      body: expect.stringMatching(/^"missing_api_key: /) as string,
    });
    expect((await fetch(`${gw.url}/${slug}/v1/plain`)).headers.get('allow')).toBe('POST');
    expect(await (await post('plain', {})).text()).toContain('Go to http://gw.test/deployment-<id>/v1/plain.');
    expect(await (await post(`${slug}/plain`, {})).text()).toContain('The endpoint is POST http://gw.test/deployment-<id>/v1/plain.');
  });

  it('lists models to its clients in its form', async () => {
    const headers = { 'x-api-key': key, 'x-plain': 'yes' };
    expect(await (await fetch(`${gw.url}/${slug}/v1/models`, { headers })).json()).toEqual({ plain: [slug] });
  });

  it('changes nothing about the others', async () => {
    const messages = [{ role: 'user', content: 'one two' }];
    const chat = await post(`${slug}/v1/chat/completions`, { model: slug, messages });
    expect(await chat.json()).toMatchObject({ object: 'chat.completion' });
    const message = await post(`${slug}/v1/messages`, { model: slug, max_tokens: 9, messages });
    expect(await message.json()).toMatchObject({ type: 'message' });
    expect(await (await post('nothing', {})).json()).toMatchObject({ error: { code: 'not_found' } });
  });
});
