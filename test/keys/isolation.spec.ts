import { setTimeout as delay } from 'node:timers/promises';
import { type AccountId, type DeploymentFacts, deploymentSlug } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../engines/random.js';
import { GatewayRig, type RunningGateway, unknownKey } from '../gateway/gateway-rig.js';
import { usageOf } from '../gateway/scripted-runner.js';

const PAIRS = 10_000;
const AT_ONCE = 16;
const ACCOUNTS = 4;
const SEED = 20_261_121;
/** The alias that every account has, each for its own deployment. */
const COMMON_ALIAS = 'demo';
const NOWHERE = ['deployment-999999', 'deployment-0', 'nobody/demo'];

interface Tenant {
  readonly account: { readonly id: AccountId; readonly slug: string };
  readonly deployments: readonly DeploymentFacts[];
}

/** A key, and what it may open: null = nothing, as it is no good; it may be refused in other words. */
interface Key {
  readonly what: string;
  readonly value: string;
  readonly opens: readonly DeploymentFacts[] | null;
  readonly status: 401 | 403;
}

/** A path, and what it names. */
interface Place {
  readonly path: string;
  readonly names: DeploymentFacts | null;
}

/** An answer. */
interface Said {
  readonly status: number;
  readonly text: string;
}

const ENDPOINTS = ['chat/completions', 'messages', 'messages/count_tokens', 'models', 'models/:model'] as const;
type Endpoint = (typeof ENDPOINTS)[number];

/** What only this deployment says: in its answers, and in its counts. */
const secretOf = ({ id }: DeploymentFacts): string => `secret-of-${id}-alone`;
const countOf = ({ id }: DeploymentFacts): number => 1_000 + id;

describe('accounts', () => {
  let rig: GatewayRig;
  let gateway: RunningGateway;
  const tenants: Tenant[] = [];
  const keys: Key[] = [];
  const places: Place[] = NOWHERE.map((path) => ({ path, names: null }));

  async function addTenant(): Promise<void> {
    const account = rig.account();
    const deployments = [rig.deployment(account.id, { context: 4_096 }), rig.deployment(account.id, { context: 4_096 })];
    const [first, second] = deployments as [DeploymentFacts, DeploymentFacts];
    rig.alias(account.id, COMMON_ALIAS, first.id);
    rig.alias(account.id, `of-${account.slug}`, second.id);
    for (const facts of deployments) {
      const runner = await rig.runner({ dep: facts.id, slots: 64 });
      runner.script = (_start, writer) => {
        writer.events([
          { k: 'start', prompt: 7 },
          { k: 'text', x: secretOf(facts), n: 1 },
          { k: 'fin', r: 'stop' },
        ]);
        return Promise.resolve(usageOf(1));
      };
      runner.count = (_start, writer) => {
        writer.events([{ k: 'start', prompt: countOf(facts) }]);
        return Promise.resolve({ ...usageOf(0), usage: { prompt: countOf(facts), cached: 0, completion: 0 } });
      };
      places.push({ path: deploymentSlug(facts.id), names: facts });
    }
    places.push({ path: `${account.slug}/${COMMON_ALIAS}`, names: first }, { path: `${account.slug}/of-${account.slug}`, names: second });
    places.push({ path: `${account.slug}/of-nobody`, names: null });
    const good = { value: rig.key(account.id).value, opens: deployments, status: 401 } as const;
    keys.push({ ...good, what: 'good' }, { ...good, what: 'older pepper', value: rig.key(account.id, { pepper: 'old' }).value });
    keys.push({ ...good, what: 'one deployment', value: rig.key(account.id, { deployments: [first.id] }).value, opens: [first] });
    keys.push({ ...good, what: 'none of its own', value: rig.key(account.id, { deployments: [999_999 as never] }).value, opens: [] });
    const bad = { opens: null, status: 401 } as const;
    keys.push({ ...bad, what: 'revoked', value: rig.key(account.id, { state: 'revoked' }).value });
    keys.push({ ...bad, what: 'expired', value: rig.key(account.id, { expires: 1 }).value });
    keys.push({ ...bad, what: 'MCP', value: rig.key(account.id, { kind: 'mcp' }).value, status: 403 });
    tenants.push({ account, deployments });
  }

  beforeAll(async () => {
    rig = await GatewayRig.start();
    for (let i = 0; i < ACCOUNTS; i += 1) await addTenant();
    keys.push({ what: 'unknown', value: unknownKey('isolation'), opens: null, status: 401 });
    gateway = await rig.gateway({ config: { INVALID_KEYS_PER_S: '0' } });
    for (const [i, { deployments }] of tenants.entries()) {
      const key = keys.filter(({ what }) => what === 'good')[i]!;
      for (const facts of deployments) await rig.whenAnswering(gateway, facts, key.value);
    }
  }, 120_000);
  afterAll(() => rig?.end());

  /** A `model` that a client could send there: mostly the right one. */
  const modelFor = (random: Random, { path }: Place): string => (random.chance(0.8) ? path : random.pick(places).path);

  /** One request, and what came of it without its number. */
  /** Asks as clients do: again where the gateway asks for it, as it does when the machine kept it from hearing of keys. */
  async function ask(key: Key, place: Place, endpoint: Endpoint, model: string): Promise<Said> {
    for (;;) {
      const said = await askOnce(key, place, endpoint, model);
      if (said.status !== 503 && said.status !== 529) return said;
      await delay(100);
    }
  }

  async function askOnce(key: Key, { path }: Place, endpoint: Endpoint, model: string): Promise<Said> {
    const isRead = endpoint.startsWith('models');
    const url = `${gateway.url}/${path}/v1/${endpoint.replace(':model', model.split('/').at(-1) ?? '')}`;
    const body = JSON.stringify({ model, max_tokens: 50, messages: [{ role: 'user', content: 'tell' }] });
    const headers = { 'x-api-key': key.value, ...(!isRead && { 'content-type': 'application/json' }) };
    const response = await fetch(url, isRead ? { headers } : { method: 'POST', headers, body });
    return { status: response.status, text: (await response.text()).replace(/req_[A-Za-z0-9_-]+/g, 'REQ') };
  }

  /** What nobody's deployment is answered with: every refusal must look like it, to the byte. */
  const notThere = new Map<string, string>();

  /** What the key opens at the place; null where it must look as if nothing were there. */
  const openedBy = ({ opens }: Key, { names }: Place): DeploymentFacts | null => (names && opens?.includes(names) ? names : null);

  /** Says what is wrong with the answer of a deployment that the key opens. */
  function flawOfOwn(facts: DeploymentFacts, endpoint: Endpoint, { status, text }: Said): string | null {
    // The model that was named may be another's, or nobody's.
    if (status === 400 || (status === 404 && endpoint === 'models/:model')) return null;
    if (status !== 200) return `${status} instead of 200`;
    if (endpoint.startsWith('models')) return null;
    const told = endpoint === 'messages/count_tokens' ? `${countOf(facts)}` : secretOf(facts);
    return text.includes(told) ? null : `not the answer of ${facts.id}: ${text}`;
  }

  /** Says what is wrong with an answer. */
  function flaw(key: Key, place: Place, endpoint: Endpoint, said: Said): string | null {
    const opened = openedBy(key, place);
    const others = tenants.flatMap(({ deployments }) => deployments).filter((facts) => facts !== opened);
    const heard = others.find((facts) => said.text.includes(secretOf(facts)) || said.text.includes(`"input_tokens":${countOf(facts)}`));
    if (heard) return `tells what ${heard.id} said`;
    if (key.opens === null) return said.status === key.status ? null : `${said.status} instead of ${key.status}`;
    if (opened) return flawOfOwn(opened, endpoint, said);
    return said.status === 404 && said.text === notThere.get(endpoint) ? null : `not what is answered where nothing is: ${said.text}`;
  }

  it(`get nothing of each other's, and no sign that it exists, in ${PAIRS} random pairs of key and path`, async () => {
    const random = new Random(SEED);
    const stranger = keys.find(({ what }) => what === 'good')!;
    for (const endpoint of ENDPOINTS) {
      const answer = await ask(stranger, { path: NOWHERE[0]!, names: null }, endpoint, NOWHERE[0]!);
      expect(answer.status).toBe(404);
      notThere.set(endpoint, answer.text);
    }
    const flaws: string[] = [];
    const seen = new Map<number, number>();
    let left = PAIRS;
    const client = async (): Promise<void> => {
      while (left > 0 && flaws.length < 10) {
        left -= 1;
        const [key, place, endpoint] = [random.pick(keys), random.pick(places), random.pick(ENDPOINTS)];
        const model = modelFor(random, place);
        const answer = await ask(key, place, endpoint, model);
        seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
        const found = flaw(key, place, endpoint, answer);
        if (found !== null) flaws.push(`${key.what} key at ${place.path}/v1/${endpoint}, model ${model}: ${found}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
    expect(flaws).toEqual([]);
    for (const status of [200, 400, 401, 403, 404]) expect([status, (seen.get(status) ?? 0) > PAIRS / 500]).toEqual([status, true]);
  }, 300_000);
});
