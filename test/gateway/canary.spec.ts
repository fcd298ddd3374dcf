import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DeploymentFacts, type DeploymentId, ResponseStore } from '@slipway/contracts';
import { ensureValueStore } from '@slipway/platform';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ENV, GatewayRig, type RunningGateway, until } from './gateway-rig.js';
import { answerInWords, embedNumbers, type ScriptedRunner } from './scripted-runner.js';

const CAPS = ['tools', 'top_k'];

let folder: string;
let rig: GatewayRig;
let gateways: RunningGateway[];
let account: ReturnType<GatewayRig['account']>;
let key: string;
let stable: DeploymentFacts;
let candidate: DeploymentFacts;
let runners: { stable: ScriptedRunner; candidate: ScriptedRunner };

/** Shares the alias `demo`, and waits until every gateway does. */
async function share(percent: number | null, [from, to] = [stable.id, candidate.id], name = 'demo'): Promise<void> {
  const canary = percent === null ? {} : { canary: { deployment: to, percent } };
  rig.deployments.put(`alias:${name}`, { type: 'alias', account: account.id, name, deployment: from, ...canary });
  // Changes reach a gateway in their order.
  const mark = rig.deployment(account.id, { state: 'failed' });
  for (const gw of gateways) {
    await until(
      'the gateway has read the change',
      async () => (await ask(gw, `deployment-${mark.id}/v1/chat/completions`, {})).status === 503,
    );
  }
}

interface Answered {
  readonly status: number;
  readonly json: Record<string, unknown>;
}

async function ask(gw: RunningGateway, address: string, body: object | null, value = key): Promise<Answered> {
  const headers = { 'x-api-key': value, 'content-type': 'application/json' };
  const method = body === null ? 'GET' : 'POST';
  const response = await fetch(`${gw.url}/${address}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
  return { status: response.status, json: (await response.json()) as Record<string, unknown> };
}

/** The address of the alias. */
const demo = (): string => `${account.slug}/demo/v1`;
const user = (content: string): object => ({ role: 'user', content });
const at = (i: number): RunningGateway => gateways[i % gateways.length]!;

/** The slug that answered. */
async function sideOf(
  path: string,
  body: object,
  { gw = gateways[0]!, value = key }: { gw?: RunningGateway; value?: string } = {},
): Promise<string> {
  const { status, json } = await ask(gw, `${demo()}${path}`, { model: 'demo', ...body }, value);
  expect({ status, json }).toMatchObject({ status: 200 });
  return String(json['model']);
}
const chatSide = (text: string, more: Parameters<typeof sideOf>[2] = {}): Promise<string> =>
  sideOf('/chat/completions', { messages: [user(text)] }, more);
const slugOf = ({ id }: { id: DeploymentId }): string => `deployment-${id}`;
const TEXTS = Array.from({ length: 24 }, (_, i) => `conversation ${i}`);
const sidesOf = (more: Parameters<typeof sideOf>[2] = {}): Promise<string[]> => Promise.all(TEXTS.map((text) => chatSide(text, more)));

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-canary-'));
  rig = await GatewayRig.start(folder);
  await ensureValueStore(ResponseStore, { nats: await rig.connect('boot', 'boot'), env: ENV, timeoutMs: 20_000 });
  account = rig.account();
  key = rig.key(account.id).value;
  stable = rig.deployment(account.id, { caps: CAPS, context: 100_000, store: true });
  candidate = rig.deployment(account.id, { caps: CAPS, context: 100_000, store: true });
  const slots = 64;
  runners = {
    stable: await rig.runner({ dep: stable.id, caps: CAPS, slots }),
    candidate: await rig.runner({ dep: candidate.id, caps: CAPS, slots }),
  };
  const config = { SLIPWAY_SECRET_KEY: 'ef'.repeat(32) };
  gateways = [await rig.gateway({ config }), await rig.gateway({ config })];
  for (const gw of gateways) for (const facts of [stable, candidate]) await rig.whenAnswering(gw, facts, key);
});
afterAll(async () => {
  await rig?.end();
  await rm(folder, { recursive: true, force: true });
});
beforeEach(() => {
  runners.stable.script = answerInWords;
  runners.candidate.script = answerInWords;
});

describe('an alias with a canary', () => {
  it('keeps each conversation on its side in every contract', async () => {
    await share(50);
    const sides = await sidesOf();
    expect(new Set(sides)).toEqual(new Set([slugOf(stable), slugOf(candidate)]));
    for (const [i, text] of TEXTS.entries()) {
      const gw = at(i);
      const later = [user(text), { role: 'assistant', content: 'yes' }, user(`and then? ${i}`)];
      const found = await Promise.all([
        sideOf('/chat/completions', { messages: later }, { gw }),
        sideOf('/messages', { messages: later, max_tokens: 50 }, { gw }),
        sideOf('/responses', { input: later, store: false }, { gw }),
      ]);
      expect(new Set(found)).toEqual(new Set([sides[i]]));
    }
  });

  it('reads large bodies for the same side', async () => {
    await share(50);
    const long = 'word '.repeat(20_000);
    for (const text of TEXTS.slice(0, 8)) {
      const messages = [user(text), { role: 'assistant', content: long }, user('go on')];
      expect(await sideOf('/chat/completions', { messages })).toBe(await chatSide(text));
    }
  });

  it('counts tokens on the side of the conversation', async () => {
    await share(50);
    for (const text of TEXTS.slice(0, 6)) {
      const side = (await chatSide(text)) === slugOf(stable) ? runners.stable : runners.candidate;
      const before = side.admitted.length;
      const { status } = await ask(at(0), `${demo()}/messages/count_tokens`, { model: 'demo', messages: [user(text)] });
      expect(status).toBe(200);
      expect(side.admitted.slice(before)).toMatchObject([{ api: 'count' }]);
    }
  });

  it('only adds conversations when the share rises', async () => {
    let before = new Set<string>();
    for (const percent of [0, 5, 25, 50, 80, 100]) {
      await share(percent);
      const sides = await sidesOf();
      const now = new Set(TEXTS.filter((_, i) => sides[i] === slugOf(candidate)));
      expect([...before].filter((text) => !now.has(text))).toEqual([]);
      before = now;
    }
    expect(before.size).toBe(TEXTS.length);
    await share(null);
    expect(new Set(await sidesOf())).toEqual(new Set([slugOf(stable)]));
  });

  it('has other conversations first for another key', async () => {
    await share(50);
    const other = rig.key(account.id).value;
    await until('the key is known', async () => (await ask(at(0), `${slugOf(stable)}/v1/models`, null, other)).status === 200);
    expect(await sidesOf({ value: other })).not.toEqual(await sidesOf());
  });

  it('accepts the name of either side', async () => {
    await share(100);
    for (const model of [slugOf(stable), slugOf(candidate), 'demo', `${account.slug}/demo`]) {
      expect(await sideOf('/chat/completions', { model, messages: [user('x')] })).toBe(slugOf(candidate));
    }
    const { status } = await ask(at(0), `${demo()}/chat/completions`, { model: 'deployment-1', messages: [user('x')] });
    expect(status).toBe(400);
    expect((await ask(at(0), `${demo()}/models`, null)).json).toMatchObject({ data: [{ id: 'demo' }] });
  });
});

describe('a request stays on the stable side', () => {
  it('of a key that is not open for the candidate', async () => {
    await share(100);
    const narrow = rig.key(account.id, { deployments: [stable.id] }).value;
    await until('the key is known', async () => (await ask(at(0), `${slugOf(stable)}/v1/models`, null, narrow)).status === 200);
    expect(await chatSide('x', { value: narrow })).toBe(slugOf(stable));
    expect(await chatSide('x')).toBe(slugOf(candidate));
  });

  it('where the candidate cannot do what it asks', async () => {
    const lesser = rig.deployment(account.id, { caps: ['top_k'], context: 100 });
    await rig.runner({ dep: lesser.id, caps: ['top_k'] });
    for (const gw of gateways) await rig.whenAnswering(gw, lesser, key);
    await share(100, [stable.id, lesser.id]);
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }];
    expect(await sideOf('/chat/completions', { messages: [user('x')], tools })).toBe(slugOf(stable));
    expect(await sideOf('/chat/completions', { messages: [user('word '.repeat(500))], max_tokens: 10 })).toBe(slugOf(stable));
    expect(await sideOf('/chat/completions', { messages: [user('x')], max_tokens: 10 })).toBe(slugOf(lesser));
  });

  it('where the candidate has no runner, or is stopped or unknown', async () => {
    const absent = rig.deployment(account.id, { caps: CAPS });
    await share(100, [stable.id, absent.id]);
    expect(await chatSide('x')).toBe(slugOf(stable));
    await share(100, [stable.id, 999_999 as DeploymentId]);
    expect(await chatSide('x')).toBe(slugOf(stable));
    const stopped = rig.deployment(account.id, { caps: CAPS });
    await rig.runner({ dep: stopped.id, caps: CAPS });
    for (const gw of gateways) await rig.whenAnswering(gw, stopped, key);
    rig.deployments.put(`deployment:${stopped.id}`, { ...stopped, desired: 'stopped', state: 'stopping' });
    await share(100, [stable.id, stopped.id]);
    expect(await chatSide('x')).toBe(slugOf(stable));
  });
});

describe('a stored response', () => {
  it('is continued on the side that stored it', async () => {
    const create = async (body: object): Promise<Record<string, unknown>> =>
      (await ask(at(0), `${demo()}/responses`, { model: 'demo', ...body })).json;
    await share(100);
    const first = await create({ input: 'My name is Ada.' });
    expect(first).toMatchObject({ model: slugOf(candidate) });
    await share(1);
    const next = await create({ input: 'Who am I?', previous_response_id: first['id'] });
    expect(next).toMatchObject({ model: slugOf(candidate) });
    expect((await ask(at(1), `${demo()}/responses/${String(next['id'])}`, null)).status).toBe(200);
    await share(0);
    const after = await create({ input: 'And who are you?', previous_response_id: next['id'] });
    expect(after).toMatchObject({ model: slugOf(stable), status: 'completed' });
    await share(null);
    const own = await create({ input: 'Hello.' });
    await share(100);
    expect(await create({ input: 'And?', previous_response_id: own['id'] })).toMatchObject({ model: slugOf(stable) });
  });
});

describe('a canary of embeddings', () => {
  it('shares requests by key and input', async () => {
    const caps = ['embed', 'dimensions:4'];
    const sides = [rig.deployment(account.id, { caps, context: 100 }), rig.deployment(account.id, { caps, context: 100 })];
    for (const { id } of sides) await rig.runner({ dep: id, caps, script: embedNumbers });
    const [one, other] = sides.map(({ id }) => id);
    const embed = (input: string): Promise<Answered> => ask(at(0), `${account.slug}/vectors/v1/embeddings`, { model: 'vectors', input });
    await share(50, [one!, other!], 'vectors');
    await until('both embed', async () => {
      const found = await Promise.all(TEXTS.map(embed));
      return new Set(found.map(({ status, json }) => (status === 200 ? json['model'] : ''))).size === 2;
    });
    const models = async (): Promise<unknown[]> => (await Promise.all(TEXTS.map(embed))).map(({ json }) => json['model']);
    expect(await models()).toEqual(await models());
  });
});
