import { setTimeout as delay } from 'node:timers/promises';
import { type AccountId, type DeploymentFacts, deploymentSlug } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Random } from '../engines/random.js';
import { GatewayRig, type RunningGateway, unknownKey } from '../gateway/gateway-rig.js';
import { usageOf } from '../gateway/scripted-runner.js';

const AT_ONCE = 16;
const ACCOUNTS = 4;
const SEED = 20_261_121;
/** An alias of every account, each for its own deployment. */
const COMMON_ALIAS = 'demo';
const NOWHERE = ['deployment-999999', 'deployment-0', 'nobody/demo'];

interface Tenant {
  readonly account: { readonly id: AccountId; readonly slug: string };
  readonly deployments: readonly DeploymentFacts[];
}

/** A key and the account that it opens; null = it is invalid, and may be refused with another error. */
interface Key {
  readonly what: string;
  readonly value: string;
  readonly opens: readonly DeploymentFacts[] | null;
  readonly status: 401 | 403;
}

/** A path and the deployment that it names. */
interface Place {
  readonly path: string;
  readonly names: DeploymentFacts | null;
}

/** An answer. */
interface Answer {
  readonly status: number;
  readonly text: string;
}

const ENDPOINTS = ['chat/completions', 'messages', 'messages/count_tokens', 'models', 'models/:model'] as const;
type Endpoint = (typeof ENDPOINTS)[number];

/** Text that only this deployment's answers and counts have. */
const secretOf = ({ id }: DeploymentFacts): string => `secret-of-${id}-alone`;
const countOf = ({ id }: DeploymentFacts): number => 1_000 + id;

/** Promises that hold at any number of random requests. */
export function describeIsolation(pairs: number): void {
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

    /** A `model` that a client could send, mostly the right one. */
    const modelFor = (random: Random, { path }: Place): string => (random.chance(0.8) ? path : random.pick(places).path);

    /** Sends one request, with retries where the gateway asks for it, as it does on a slow machine while its feed is behind. @returns the answer without its request id */
    async function ask(key: Key, place: Place, endpoint: Endpoint, model: string): Promise<Answer> {
      for (;;) {
        const answer = await askOnce(key, place, endpoint, model);
        if (answer.status !== 503 && answer.status !== 529) return answer;
        await delay(100);
      }
    }

    async function askOnce(key: Key, { path }: Place, endpoint: Endpoint, model: string): Promise<Answer> {
      const isRead = endpoint.startsWith('models');
      const url = `${gateway.url}/${path}/v1/${endpoint.replace(':model', model.split('/').at(-1) ?? '')}`;
      const body = JSON.stringify({ model, max_tokens: 50, messages: [{ role: 'user', content: 'tell' }] });
      const headers = { 'x-api-key': key.value, ...(!isRead && { 'content-type': 'application/json' }) };
      const response = await fetch(url, isRead ? { headers } : { method: 'POST', headers, body });
      return { status: response.status, text: (await response.text()).replace(/req_[A-Za-z0-9_-]+/g, 'REQ') };
    }

    /** The answers for a deployment that does not exist; every refusal must equal them to the byte. */
    const notThere = new Map<string, string>();

    /** The deployment that the key opens at the path; null where it must look as if there were none. */
    const openedBy = ({ opens }: Key, { names }: Place): DeploymentFacts | null => (names && opens?.includes(names) ? names : null);

    /** The fault of an answer by a deployment that the key opens; null = none. */
    function flawOfOwn(facts: DeploymentFacts, endpoint: Endpoint, { status, text }: Answer): string | null {
      // The named model may belong to another account, or not exist.
      if (status === 400 || (status === 404 && endpoint === 'models/:model')) return null;
      if (status !== 200) return `${status} instead of 200`;
      if (endpoint.startsWith('models')) return null;
      const expected = endpoint === 'messages/count_tokens' ? `${countOf(facts)}` : secretOf(facts);
      return text.includes(expected) ? null : `not the answer of ${facts.id}: ${text}`;
    }

    /** The fault of an answer; null = none. */
    function flaw(key: Key, place: Place, endpoint: Endpoint, answer: Answer): string | null {
      const opened = openedBy(key, place);
      const others = tenants.flatMap(({ deployments }) => deployments).filter((facts) => facts !== opened);
      const other = others.find(
        (facts) => answer.text.includes(secretOf(facts)) || answer.text.includes(`"input_tokens":${countOf(facts)}`),
      );
      if (other) return `it has text of ${other.id}`;
      if (key.opens === null) return answer.status === key.status ? null : `${answer.status} instead of ${key.status}`;
      if (opened) return flawOfOwn(opened, endpoint, answer);
      return answer.status === 404 && answer.text === notThere.get(endpoint)
        ? null
        : `not the answer for an unknown deployment: ${answer.text}`;
    }

    it(`get nothing of each other's in ${pairs} random requests`, async () => {
      const random = new Random(SEED);
      const good = keys.find(({ what }) => what === 'good')!;
      for (const endpoint of ENDPOINTS) {
        const answer = await ask(good, { path: NOWHERE[0]!, names: null }, endpoint, NOWHERE[0]!);
        expect(answer.status).toBe(404);
        notThere.set(endpoint, answer.text);
      }
      const flaws: string[] = [];
      const seen = new Map<number, number>();
      let left = pairs;
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
      for (const status of [200, 400, 401, 403, 404]) expect([status, (seen.get(status) ?? 0) > pairs / 500]).toEqual([status, true]);
    }, 300_000);
  });
}
