import { ServiceError } from '@slipway/contracts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { RawClient, rawRequest } from './raw-client.js';
import { answerInWords, countSeven, pause, type Script, type ScriptedRunner, staySilent, usageOf } from './scripted-runner.js';
import { serve, type Served } from './serve.js';

const WITHIN_MS = 30_000;
const SLOTS = 2;

const whenReleased = (): { readonly script: Script; readonly release: () => void } => {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const script: Script = async (start, writer, signal) => {
    await Promise.race([released, pause(600_000, signal)]);
    return countSeven(start, writer, signal);
  };
  return { script, release };
};

describe('counting tokens', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let other: RunningGateway;
  let runner: ScriptedRunner;
  let account: Served['account'];
  let deployment: Served['deployment'];
  let slug: string;
  let key: string;
  const left: AbortController[] = [];
  const held: Promise<Response>[] = [];

  beforeAll(async () => {
    const options = { runner: { slots: SLOTS }, gateway: { config: { QUEUE_WAIT_MS: '60000' } } };
    ({ rig, gw, runner, account, slug, key, deployment } = await serve(options));
    other = await rig.gateway();
    await rig.whenAnswering(other, deployment, key);
  }, 60_000);
  afterAll(() => rig?.end());
  afterEach(async () => {
    for (const controller of left.splice(0)) controller.abort();
    for (const one of await Promise.allSettled(held.splice(0))) expect(one).toMatchObject({ reason: { name: 'AbortError' } });
    await until('nothing runs', () => runner.used + runner.counting === 0, WITHIN_MS);
    runner.script = answerInWords;
    runner.count = countSeven;
  });

  const BODY = { messages: [{ role: 'user', content: 'one two three' }] };
  const post = (path: string, fields: object = {}, at = gw): Promise<Response> => {
    const controller = new AbortController();
    left.push(controller);
    return fetch(`${at.url}/${path}`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: path.split('/v1')[0], ...BODY, ...fields }),
      signal: controller.signal,
    });
  };
  const count = (fields: object = {}, at = gw): Promise<Response> => post(`${slug}/v1/messages/count_tokens`, fields, at);
  const generate = (fields: object = {}): Promise<Response> => post(`${slug}/v1/messages`, { max_tokens: 50, ...fields });
  /** Takes all slots, and has requests wait for them. */
  const fill = async (): Promise<void> => {
    runner.script = staySilent;
    for (let i = 0; i < SLOTS + 2; i += 1) held.push(generate());
    await until('all slots are taken', () => runner.used === SLOTS, WITHIN_MS);
    const waiting = async (): Promise<boolean> => /slipway_gateway_waiting_requests\{[^}]*\} 2\n/.test(await gw.metrics.metrics());
    await until('two wait', waiting, WITHIN_MS);
  };

  it.each([
    ['a slug', () => slug],
    ['account and alias', () => `${account.slug}/demo-7b`],
  ])('answers under %s with the figure and nothing else', async (_, name) => {
    const answer = await post(`${name()}/v1/messages/count_tokens?beta=true`);
    expect({ status: answer.status, body: await answer.json() }).toEqual({ status: 200, body: { input_tokens: 7 } });
    expect(answer.headers.get('request-id')).toMatch(/^req_/);
    expect(answer.headers.get('content-type')).toBe('application/json');
    expect(answer.headers.get('x-slipway-token-count')).toBeNull();
  });

  it('says when the figure is an estimate', async () => {
    runner.count = async (_start, writer) => {
      writer.events([{ k: 'start', prompt: 12 }]);
      return { ...usageOf(0), usage: { prompt: 12, cached: 0, completion: 0, estimated: true } };
    };
    const answer = await count();
    expect(answer.headers.get('x-slipway-token-count')).toBe('estimate');
    expect(await answer.json()).toEqual({ input_tokens: 12 });
  });

  it('sends the engine the prompt of a generation', async () => {
    const fields = {
      system: 'Be brief.',
      tools: [{ name: 'look', input_schema: { type: 'object' } }],
      tool_choice: { type: 'auto' },
      thinking: { type: 'adaptive' },
      stop_sequences: ['x'],
    };
    await (await generate({ ...fields, stream: true })).text();
    const generated = runner.admitted.at(-1)!.req;
    expect((await count({ ...fields, stream: true, max_tokens: 50 })).status).toBe(200);
    const { api, req } = runner.admitted.at(-1)!;
    const { max_tokens: _, ...prompt } = generated;
    expect({ api, req }).toEqual({ api: 'count', req: prompt });
  });

  it('needs no slot, and works while all are used', async () => {
    await fill();
    const answers = await Promise.all(Array.from({ length: 25 }, () => count({ max_tokens: 5, stream: true })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(runner.used).toBe(SLOTS);
  });

  it('runs 64 at once over gateways, then gets 503', async () => {
    const { script, release } = whenReleased();
    runner.count = script;
    const running = Array.from({ length: 64 }, () => count());
    await until('64 are counted', () => runner.counting === 64, WITHIN_MS);
    for (const at of [gw, other]) {
      const refused = await count({}, at);
      expect(refused.status).toBe(529);
      expect(refused.headers.get('retry-after')).toMatch(/^[1-5]$/);
      expect(await refused.json()).toMatchObject({ error: { type: 'overloaded_error', details: { error_code: 'overloaded' } } });
    }
    expect((await generate()).status).toBe(200);
    release();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(running.map(() => 200));
    expect((await count()).status).toBe(200);
  });

  it.each<[string, object, string]>([
    ['no messages', { messages: [] }, 'messages: '],
    ['another model', { model: 'gpt-4' }, 'model: '],
    ['a wrong limit', { max_tokens: -1 }, 'max_tokens: '],
    ['a thread', { thread: { type: 'create' } }, 'thread: '],
    ['a tool that runs elsewhere', { tools: [{ type: 'bash_20250124', name: 'bash' }] }, 'tools.0.type: '],
  ])('is refused for %s, as a message is', async (_, fields, message) => {
    const [counted, generated] = [await count(fields), await generate(fields)];
    expect({ status: counted.status, same: counted.status === generated.status }).toEqual({ status: 400, same: true });
    const [one, two] = (await Promise.all([counted.json(), generated.json()])) as { error: { message: string } }[];
    expect(one?.error).toEqual(two?.error);
    expect(one?.error.message.startsWith(message)).toBe(true);
  });

  it('that fails in the engine has a real status', async () => {
    runner.count = () => Promise.reject(new ServiceError('unsupported_value', 'No template here.', { param: 'messages' }));
    const answer = await count();
    expect({ status: answer.status, body: await answer.json() }).toMatchObject({
      status: 400,
      body: { error: { type: 'invalid_request_error', message: 'messages: No template here.' } },
    });
  });

  it('ends when its client leaves', async () => {
    runner.count = whenReleased().script;
    const cancelled = runner.cancelled;
    const client = await RawClient.open(gw.gateway.port);
    const body = JSON.stringify({ model: slug, ...BODY });
    client.send(rawRequest(`/${slug}/v1/messages/count_tokens`, [`X-API-Key: ${key}`, 'Content-Type: application/json'], body));
    await until('it is counted', () => runner.counting === 1, WITHIN_MS);
    client.reset();
    await until('the worker hears of it', () => runner.cancelled === cancelled + 1 && runner.counting === 0, WITHIN_MS);
  });

  it('without a worker gets 503, other methods 405', async () => {
    const idle = `deployment-${rig.deployment(account.id).id}`;
    const ask = (): Promise<Response> => post(`${idle}/v1/messages/count_tokens`);
    await until('the feed has come', async () => (await ask()).status === 529, WITHIN_MS);
    const refused = await ask();
    expect(await refused.json()).toMatchObject({ error: { details: { error_code: 'deployment_unavailable' } } });
    const get = await fetch(`${gw.url}/${slug}/v1/messages/count_tokens`, { headers: { 'x-api-key': key } });
    expect({ status: get.status, allow: get.headers.get('allow') }).toEqual({ status: 405, allow: 'POST' });
    expect((await fetch(`${gw.url}/${slug}/v1/messages/count_tokens`, { method: 'POST', body: '{}' })).status).toBe(401);
  });

  it('is no generation in the metrics', async () => {
    const tokens = async (): Promise<string[]> => (await gw.metrics.metrics()).match(/slipway_gateway_tokens_total\{.*/g) ?? [];
    const before = await tokens();
    await (await count()).json();
    expect(await tokens()).toEqual(before);
  });
});
