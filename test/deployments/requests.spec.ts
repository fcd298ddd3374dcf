import type { AccountId, DeploymentId } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestService } from '../services/test-service.js';
import { until } from '../testing/until.js';
import type { FakeAgent } from './fake-agent.js';
import { anAccount, DeploymentsRig, ENGINE_HOST, MODEL } from './rig.js';

let postgres: TestPostgres;
let rig: DeploymentsRig;
let replica: TestService;
let agent: FakeAgent;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await DeploymentsRig.open(postgres);
  replica = await rig.startReplica();
  agent = rig.startAgent();
});
afterAll(async () => {
  await rig?.close();
  await postgres.stop();
});

const http = { kind: 'http', url: `http://${ENGINE_HOST}/v1`, model: 'm' } as const;
const UNUSED_ID = 2_000_000_000 as DeploymentId;

describe('create-deployment', () => {
  it('returns rising ids and lists them in order', async () => {
    const [one, two] = [anAccount(), anAccount()];
    const ids = [await rig.create(one, { name: 'first' }), await rig.create(two), await rig.create(one, { name: ' second ' })];
    expect(ids).toEqual([...ids].sort((a, b) => a - b));
    const listed = await rig.list(one);
    expect(listed.map(({ id, name }) => [id, name])).toEqual([
      [ids[0], 'first'],
      [ids[2], 'second'],
    ]);
    expect(await rig.list(anAccount())).toEqual([]);
  });

  it('lists the requested settings', async () => {
    const account = anAccount();
    const id = await rig.create(account, { source: http, replicas: 1 });
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string;
    expect(await rig.seen(account, id, 'ready')).toEqual({
      id,
      name: 'a model',
      adapter: null,
      aliases: [],
      source: http,
      desired: 'ready',
      state: 'ready',
      reason: null,
      detail: null,
      progress: null,
      rev: 1,
      serving_rev: 1,
      replicas: 1,
      replica_range: null,
      ready_replicas: 1,
      slots: 512,
      store_responses: false,
      created_at: time,
      engine: 'http',
      since: time,
      updated_at: time,
    });
  });

  it.each([
    [
      'a file outside MODEL_DIRS',
      { source: { kind: 'file', path: '/etc/passwd' } },
      { code: 'source_not_allowed', param: 'source.path' },
      /MODEL_DIRS/,
    ],
    [
      'a way out of MODEL_DIRS',
      { source: { kind: 'file', path: `${MODEL}/../../package.json` } },
      { code: 'source_not_allowed', param: 'source.path' },
      /MODEL_DIRS/,
    ],
    [
      'a foreign download',
      { source: { kind: 'download', uri: 'https://evil.example/f' } },
      { code: 'source_not_allowed', param: 'source.uri' },
      /MODEL_HOSTS/,
    ],
    [
      'a foreign engine',
      { source: { ...http, url: 'http://10.0.0.1' } },
      { code: 'source_not_allowed', param: 'source.url' },
      /ENGINE_HOSTS/,
    ],
    ['a file: URL as engine', { source: { ...http, url: 'file:///etc/passwd' } }, { code: 'invalid_request', param: 'source.url' }, /./],
    ['no source', { source: undefined }, { code: 'invalid_request', param: 'source' }, /./],
    ['an empty name', { name: ' ' }, { code: 'invalid_request', param: 'name' }, /./],
    ['no replica', { replicas: 0 }, { code: 'invalid_request', param: 'replicas' }, /./],
    ['a credential for a file', { credential: 'sk-1' }, { code: 'invalid_request', param: 'credential' }, /HTTP/],
    [
      'a credential that is no header',
      { source: http, credential: 'sk\r\nx: y' },
      { code: 'invalid_request', param: 'credential' },
      /ASCII/,
    ],
  ])('%s is refused and creates nothing', async (_, changes, refusal, message) => {
    const account = anAccount();
    await expect(rig.create(account, changes)).rejects.toMatchObject({ ...refusal, message: expect.stringMatching(message) as string });
    expect(await rig.list(account)).toEqual([]);
  });
});

describe('point-alias', () => {
  const aliasesOf = async (account: AccountId, id: DeploymentId): Promise<string[]> => (await rig.view(account, id)).aliases;

  it('points, moves and repeats; gateways follow', async () => {
    const account = anAccount();
    const [one, two] = [await rig.create(account), await rig.create(account)];
    await rig.pointAlias(account, 'qwen2.5-7b', one);
    await rig.pointAlias(account, 'other', one);
    await until('gateways know the alias', () => rig.gateway.alias(account, 'qwen2.5-7b') === one);
    expect(await aliasesOf(account, one)).toEqual(['other', 'qwen2.5-7b']);

    await rig.pointAlias(account, 'qwen2.5-7b', two);
    await rig.pointAlias(account, 'qwen2.5-7b', two);
    await until('gateways follow', () => rig.gateway.alias(account, 'qwen2.5-7b') === two);
    expect([await aliasesOf(account, one), await aliasesOf(account, two)]).toEqual([['other'], ['qwen2.5-7b']]);
  });

  it('the same name is independent in another account', async () => {
    const [one, two] = [anAccount(), anAccount()];
    const [first, second] = [await rig.create(one), await rig.create(two)];
    await rig.pointAlias(one, 'main', first);
    await rig.pointAlias(two, 'main', second);
    await until('gateways know both', () => rig.gateway.alias(one, 'main') === first && rig.gateway.alias(two, 'main') === second);
  });

  it('treats foreign deployments like unknown ones', async () => {
    const [owner, stranger] = [anAccount(), anAccount()];
    const id = await rig.create(owner);
    const refusals = await Promise.all(
      [id, UNUSED_ID].map((target) =>
        rig.pointAlias(stranger, 'mine', target).catch((error: unknown) => ({ ...(error as object), message: String(error) })),
      ),
    );
    expect(refusals[0]).toMatchObject({ code: 'deployment_not_found', param: 'deployment' });
    expect(refusals[0]).toEqual(refusals[1]);
    expect(rig.gateway.alias(stranger, 'mine')).toBeUndefined();
  });

  it('concurrent calls end in one consistent target', async () => {
    const account = anAccount();
    const ids = await Promise.all([1, 2, 3, 4].map(() => rig.create(account)));
    await Promise.all([...ids, ...ids, ...ids].map((id) => rig.pointAlias(account, 'race', id)));
    const holders = (await rig.list(account)).filter(({ aliases }) => aliases.includes('race'));
    expect(holders).toHaveLength(1);
    await until('gateways agree', () => rig.gateway.alias(account, 'race') === holders[0]!.id);
  });
});

describe('an engine’s credential', () => {
  const SECRET = 'sk-very-secret-0123456789';

  it('reaches the agent and is unsealed nowhere else', async () => {
    const account = anAccount();
    const id = await rig.create(account, { source: http, credential: SECRET });
    await until('the assignment arrives', () => agent.runs(id));
    const item = agent.items.find(({ dep }) => dep === id)!;
    expect(agent.secretOf(item)).toBe(SECRET);
    expect(JSON.stringify(item)).not.toContain(SECRET);
    await rig.published(id, 'ready');

    expect(JSON.stringify(await rig.list(account))).not.toContain(SECRET);
    expect(JSON.stringify([...rig.gateway.records.values()])).not.toContain(SECRET);
    const rows = await dump(rig.databaseUrl);
    expect(rows).toContain('v1.');
    for (const form of [SECRET, Buffer.from(SECRET).toString('base64'), Buffer.from(SECRET).toString('hex')])
      expect(rows).not.toContain(form);
    const said = await replica.lastWords();
    expect(said).toContain('placement.elected');
    expect(said).not.toContain(SECRET);
  });
});

/** Every row of every table, as text. */
async function dump(url: string): Promise<string> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const tables = await client.query<{ tablename: string }>(`SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
    const rows = [];
    for (const { tablename } of tables.rows) rows.push((await client.query(`SELECT t::text FROM "${tablename}" t`)).rows);
    return JSON.stringify(rows);
  } finally {
    await client.end();
  }
}
