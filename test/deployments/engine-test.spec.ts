import { type AccountId, type EngineTest, Incarnation, ListDeploymentAudit, TestEngine } from '@slipway/contracts';
import {
  freePorts,
  jsonAnswer,
  modelList,
  ScriptedUpstream,
  startTestPostgres,
  type TestPostgres,
  type UpstreamScript,
} from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { TestService } from '../services/test-service.js';
import { until } from '../testing/until.js';
import type { RealWorker } from './real-worker.js';
import { anAccount, DeploymentsRig } from './rig.js';

const CREDENTIAL = 'sk-engine-of-the-owner';

let postgres: TestPostgres;
let rig: DeploymentsRig;
let engine: ScriptedUpstream;
let service: TestService;
let worker: RealWorker;
let account: AccountId;

beforeAll(async () => {
  postgres = await startTestPostgres();
  engine = await ScriptedUpstream.start(() => ({ steps: [] }));
  rig = await DeploymentsRig.open(postgres);
  // The worker allows fewer hosts than the service, so that each one's refusals can be distinguished.
  service = await rig.startReplica({ ENGINE_HOSTS: '127.0.0.1,engine.test' });
  worker = rig.startWorker({ ENGINE_HOSTS: '127.0.0.1', LOG_LEVEL: 'debug' });
  account = anAccount();
  await until('the worker answers', async () => (await test()).some(({ outcome }) => outcome !== 'silent'));
});
afterAll(async () => {
  await rig?.close();
  await engine?.stop();
  await postgres.stop();
});
beforeEach(() => {
  engine.gets.set('/v1/models', modelList('scripted', { owned_by: 'vllm', max_model_len: 4_096 }));
  engine.requests.length = 0;
});

const source = (url = engine.url): { kind: 'http'; url: string; model: string } => ({ kind: 'http', url, model: 'scripted' });

async function test(changes: Partial<z.input<typeof TestEngine.request>> = {}): Promise<EngineTest[]> {
  // An account may test six times in a minute.
  const own = changes.deployment === undefined ? anAccount() : account;
  return (await rig.ask(TestEngine, { account: own, source: source(), ...changes })).tests;
}

/** A list of models of so many bytes. */
function listOf(bytes: number): UpstreamScript {
  const list = (pad: string): string => JSON.stringify({ object: 'list', data: [{ id: 'scripted', object: 'model', pad }] });
  return { headers: { 'content-type': 'application/json' }, steps: [{ write: list('x'.repeat(bytes - list('').length)) }] };
}

/** Entries of the audit log about tests of engines, oldest first. */
async function testsOf(owner: AccountId): Promise<object[]> {
  const { entries } = await rig.ask(ListDeploymentAudit, { account: owner });
  return entries.filter(({ action }) => action === 'engine.test').reverse();
}

const bearers = (): unknown[] => engine.requests.map(({ headers }) => headers['authorization']);

describe('an engine test', () => {
  it('asks for the model list and one embedding only', async () => {
    const [found, ...more] = await test({ credential: CREDENTIAL });
    expect(found).toEqual({
      host: expect.any(String) as string,
      agent: expect.any(String) as string,
      outcome: 'answers',
      detail: null,
      server: 'vllm',
      context: 4_096,
      models: ['scripted'],
      ms: expect.any(Number) as number,
    });
    expect(more).toEqual([]);
    expect(engine.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models', 'POST /v1/embeddings']);
    expect(new Set(bearers())).toEqual(new Set([`Bearer ${CREDENTIAL}`]));
  });

  it('reports the problem in words', async () => {
    const outcomeOf = async (url?: string): Promise<[string | undefined, string | null | undefined]> => {
      const [found] = await test(url === undefined ? {} : { source: source(url) });
      return [found?.outcome, found?.detail];
    };
    const [closedPort = 0] = await freePorts(1);
    expect(await outcomeOf(`http://127.0.0.1:${closedPort}`)).toEqual(['unreachable', expect.stringContaining('does not answer')]);
    expect(await outcomeOf('http://engine.test:9')).toEqual(['not_allowed', expect.stringContaining('allowed engine hosts')]);
    engine.gets.set('/v1/models', modelList('another'));
    expect(await outcomeOf()).toEqual(['model_unknown', expect.stringContaining('list')]);
    engine.gets.set('/v1/models', jsonAnswer(401, { error: {} }));
    expect(await outcomeOf()).toEqual(['refused', expect.stringContaining('credential')]);
    engine.gets.set('/v1/models', jsonAnswer(302, {}, { location: 'http://169.254.169.254/' }));
    expect(await outcomeOf()).toEqual(['unreachable', expect.stringContaining('redirects')]);
    engine.gets.delete('/v1/models');
    expect(await outcomeOf()).toEqual(['answers', null]);
  });

  it('lists the models of an engine without a name', async () => {
    const twoModels = ['one', 'two'].map((id) => ({ id, object: 'model', owned_by: 'vllm', max_model_len: 4_096 }));
    engine.gets.set('/v1/models', jsonAnswer(200, { object: 'list', data: twoModels }));
    const found = (await test({ source: { kind: 'http', url: engine.url } })).find(({ outcome }) => outcome !== 'silent');
    expect(found).toMatchObject({ outcome: 'answers', server: 'vllm', context: null, models: ['one', 'two'] });
  });

  it('requires the permission to create a deployment', async () => {
    const refusalOf = (changes: Parameters<typeof test>[0]): Promise<unknown> =>
      test(changes).then(
        () => 'tried',
        (error: unknown) => error,
      );
    expect(await refusalOf({ source: source('http://169.254.169.254/latest') })).toMatchObject({
      code: 'source_not_allowed',
      param: 'source.url',
    });
    expect(await refusalOf({ source: source('http://user:word@127.0.0.1:1') })).toMatchObject({
      code: 'invalid_request',
      param: 'source.url',
    });
    expect(await refusalOf({ credential: 'two\nlines' })).toMatchObject({ code: 'invalid_request', param: 'credential' });
    expect(engine.requests).toEqual([]);
  });

  it('uses the stored credential for the same host only', async () => {
    const deployment = await rig.create(account, { source: source(), credential: CREDENTIAL });
    const other = await ScriptedUpstream.start(() => ({ steps: [] }));
    // The deployment itself asks at its own path meanwhile.
    await test({ deployment, source: source(`${engine.url}/elsewhere`) });
    const asked = engine.requests.filter(({ path }) => path === '/elsewhere/v1/models');
    expect(asked.map(({ headers }) => headers['authorization'])).toEqual([`Bearer ${CREDENTIAL}`]);
    await test({ deployment, source: source(other.url) });
    expect(new Set(other.requests.map(({ headers }) => headers['authorization']))).toEqual(new Set([undefined]));
    await other.stop();
  });

  it('reports a worker without a reply as silent', async () => {
    const absent = rig.startAgent();
    const ownOf = (found: EngineTest[]): EngineTest | undefined => found.find(({ host }) => host === `host-${absent.wk}`);
    const found = await until('it was asked', async () => ownOf(await test({ credential: CREDENTIAL })));
    expect(found.outcome).toBe('silent');
    const lines = (): string[] => service.output.split('\n');
    const line = await until('the log tells', () =>
      lines().find((each) => each.includes('engines.test_unanswered') && each.includes(absent.wk)),
    );
    expect(line).toContain('absent');
  });

  it('runs once per host, by a named worker', async () => {
    const twins = ['0001', '0002'].map((wk) => rig.startAgent({ wk: Incarnation.parse(wk), facts: { host: 'twins' } }));
    try {
      const found = await until('both twins are known', async () => {
        const tests = await test();
        return tests.some(({ host }) => host === 'twins') && tests;
      });
      expect(found.filter(({ host }) => host === 'twins')).toMatchObject([{ agent: '0001' }]);
      expect(found).toHaveLength(2);
    } finally {
      for (const twin of twins) twin.stop();
      // The tests below need the only worker that answers, and a silent one may be chosen in its place until it is forgotten.
      await until('both twins are forgotten', async () => !(await test()).some(({ host }) => host === 'twins'), 60_000);
    }
  });

  it('reads at most 256 KiB', async () => {
    const outcomeOf = async (script: UpstreamScript): Promise<[string | undefined, readonly string[] | null | undefined]> => {
      engine.gets.set('/v1/models', script);
      const found = (await test()).find(({ outcome }) => outcome !== 'silent');
      return [found?.outcome, found?.models];
    };
    const limit = 256 * 1_024;
    expect(await outcomeOf(listOf(limit))).toEqual(['answers', ['scripted']]);
    expect(await outcomeOf(listOf(limit + 1))).toEqual(['answers', null]);
    // It would never end.
    const endless = { ...listOf(limit), steps: [{ write: ' '.repeat(limit) }, { hang: true as const }] };
    expect(await outcomeOf(endless)).toEqual(['answers', null]);
  });

  it('is limited to six a minute per account', async () => {
    const owner = anAccount();
    for (let n = 0; n < 6; n += 1) await test({ account: owner });
    const asked = engine.requests.length;
    const refused = { code: 'rate_limit_exceeded', retryAfterS: 15, message: expect.stringContaining('6 in a minute') as string };
    await expect(test({ account: owner })).rejects.toMatchObject(refused);
    expect(engine.requests).toHaveLength(asked);
    expect(await testsOf(owner)).toHaveLength(6);
    await test();
    expect(engine.requests.length).toBeGreaterThan(asked);
  });

  it('is limited to two at once per account', async () => {
    const owner = anAccount();
    let answer = (): void => undefined;
    const answered = new Promise<void>((resolve) => (answer = resolve));
    engine.gets.set('/v1/models', { steps: [{ until: answered }] });
    const running = [test({ account: owner }), test({ account: owner })];
    try {
      await until('both ask', () => engine.requests.length === 2);
      await expect(test({ account: owner })).rejects.toMatchObject({
        code: 'rate_limit_exceeded',
        message: expect.stringContaining('2 at once') as string,
      });
      expect(engine.requests).toHaveLength(2);
    } finally {
      answer();
    }
    await Promise.all(running);
    await test({ account: owner });
    expect(await testsOf(owner)).toHaveLength(3);
  });

  it('is recorded in the audit log', async () => {
    const owner = anAccount();
    const deployment = await rig.create(owner, { source: source(), credential: CREDENTIAL });
    const by = { account: owner, actor: { kind: 'ops' as const } };
    await test(by);
    await test({ ...by, credential: 'sk-never-to-be-kept' });
    await test({ ...by, deployment });
    const [closedPort = 0] = await freePorts(1);
    await test({ ...by, source: source(`http://127.0.0.1:${closedPort}`) });
    const object = `engine:${new URL(engine.url).host}`;
    expect(await testsOf(owner)).toMatchObject([
      { actor: 'ops', object, facts: { credential: 'none' } },
      { actor: 'ops', object, facts: { credential: 'given' } },
      { actor: 'ops', object, facts: { credential: 'stored' } },
      { actor: 'ops', object: `engine:127.0.0.1:${closedPort}`, facts: { credential: 'none' } },
    ]);
    expect(JSON.stringify(await testsOf(owner))).not.toContain('sk-');
  });

  it('leaves its credential in no log or row', async () => {
    await test({ credential: 'sk-never-to-be-kept' });
    expect(JSON.stringify(await rig.list(account))).not.toContain('sk-');
    const said = [await service.lastWords(), await worker.lastWords()];
    for (const [i, expected] of ['engines.test_unanswered', 'placement.assigned'].entries()) {
      expect(said[i]).toContain(expected);
      expect(said[i]).not.toMatch(/sk-never-to-be-kept|sk-engine-of-the-owner/);
    }
  });
});
