import { type AccountId, type EngineTest, TestEngine } from '@slipway/contracts';
import { freePorts, jsonAnswer, modelList, ScriptedUpstream, startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { ServiceProcess } from '../services/service-process.js';
import { until } from '../testing/until.js';
import type { RealWorker } from './real-worker.js';
import { anAccount, DeploymentsRig } from './rig.js';

const CREDENTIAL = 'sk-engine-of-the-owner';

let postgres: TestPostgres;
let rig: DeploymentsRig;
let engine: ScriptedUpstream;
let service: ServiceProcess;
let worker: RealWorker;
let account: AccountId;

beforeAll(async () => {
  postgres = await startTestPostgres();
  engine = await ScriptedUpstream.start(() => ({ steps: [] }));
  rig = await DeploymentsRig.open(postgres);
  // The worker is told less than the service: what each of them forbids is seen apart.
  service = await rig.startReplica({ ENGINE_HOSTS: '127.0.0.1,engine.test' });
  worker = rig.startWorker({ ENGINE_HOSTS: '127.0.0.1', LOG_LEVEL: 'debug' });
  account = anAccount();
  await until('the worker is known', async () => (await test()).length > 0);
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

const bearers = (): unknown[] => engine.requests.map(({ headers }) => headers['authorization']);

describe('an engine that is tried before it is served', () => {
  it('is asked from a worker for its models and for nothing else', async () => {
    const [found, ...more] = await test({ credential: CREDENTIAL });
    expect(found).toEqual({
      host: expect.any(String) as string,
      outcome: 'answers',
      detail: null,
      server: 'vllm',
      context: 4_096,
      models: ['scripted'],
      ms: expect.any(Number) as number,
    });
    expect(more).toEqual([]);
    expect(engine.requests.map(({ method, path }) => `${method} ${path}`)).toEqual(['GET /v1/models']);
    expect(bearers()).toEqual([`Bearer ${CREDENTIAL}`]);
  });

  it('tells what is wrong with it, in words', async () => {
    const outcomeOf = async (url?: string): Promise<[string | undefined, string | null | undefined]> => {
      const [found] = await test(url === undefined ? {} : { source: source(url) });
      return [found?.outcome, found?.detail];
    };
    const [nobody = 0] = await freePorts(1);
    expect(await outcomeOf(`http://127.0.0.1:${nobody}`)).toEqual(['unreachable', expect.stringContaining('does not answer')]);
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

  it('is tried only where it may be created', async () => {
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

  it('of a deployment is tried with the credential that it keeps, at the same host alone', async () => {
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

  it('is told as silent of a worker that does not answer, and the log says why', async () => {
    const absent = rig.startAgent();
    const ownOf = (found: EngineTest[]): EngineTest | undefined => found.find(({ host }) => host === `host-${absent.wk}`);
    const found = await until('it was asked', async () => ownOf(await test({ credential: CREDENTIAL })));
    expect(found.outcome).toBe('silent');
    const lines = (): string[] => service.output.split('\n');
    const line = await until('the log tells', () => lines().find((each) => each.includes('engines.test_unanswered')));
    expect(line).toContain(absent.wk);
    expect(line).toContain('absent');
  });

  it('leaves its credential in no log and in no row', async () => {
    await test({ credential: 'sk-never-to-be-kept' });
    expect(JSON.stringify(await rig.list(account))).not.toContain('sk-');
    const said = [await service.lastWords(), await worker.lastWords()];
    for (const [i, expected] of ['engines.test_unanswered', 'placement.assigned'].entries()) {
      expect(said[i]).toContain(expected);
      expect(said[i]).not.toMatch(/sk-never-to-be-kept|sk-engine-of-the-owner/);
    }
  });
});
