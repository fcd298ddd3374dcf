import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type AccountId, CreateAccount, CreateKey, type KeyId, RevokeKey, RotateKey } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { documentOf, type Run, runCli } from '../../cli/cli-rig.js';
import { Bus, ENV } from '../../services/bus.js';
import { deploymentsDatabase, keysDatabase } from '../../services/migrated.js';
import { PatientRpc } from '../../services/patient-rpc.js';
import { ServiceInProcess } from '../../services/service-in-process.js';
import { until } from '../../testing/until.js';

const SECRETS = { KEY_PEPPERS: `p1:${'ab'.repeat(32)}`, SLIPWAY_SECRET_KEY: 'cd'.repeat(32) };
const KEYS_MAIN = fileURLToPath(new URL('../../../apps/keys-service/dist/main.js', import.meta.url));
const actor = { kind: 'ops', client: 'test' } as const;

interface Key {
  readonly id: KeyId;
  readonly value: string;
}
interface Databases {
  readonly KEYS_DATABASE_URL: string;
  readonly DEPLOYMENTS_DATABASE_URL: string;
}

let folder: string;
let postgres: TestPostgres;
let bus: Bus;
let rpc: PatientRpc;
let source: Databases;
let gateway: ServiceInProcess;
let services: ServiceInProcess[] = [];
let account: AccountId;
let archive: string;

const start = async (app: 'keys-service' | 'deployments-service' | 'gateway', databases: Databases): Promise<ServiceInProcess> =>
  new ServiceInProcess(app, bus, { ...SECRETS, ...databases, PORT: '0', QUOTA_KEYS: '1000' }).ready();

const startServices = async (databases: Databases): Promise<void> => {
  services = await Promise.all([start('keys-service', databases), start('deployments-service', databases)]);
};
const stopServices = async (): Promise<void> => {
  await Promise.all(services.splice(0).map((service) => service.end()));
};

const slipway = (environment: object, ...args: string[]): Promise<Run> =>
  runCli(args, { environment: { SLIPWAY_ENV: ENV, ...SECRETS, ...environment } });

async function rows<T extends pg.QueryResultRow>(url: string, statement: string): Promise<T[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(statement)).rows;
  } finally {
    await client.end();
  }
}
const epochIn = async (url: string): Promise<string | undefined> =>
  (await rows<{ epoch: string }>(url, 'SELECT epoch FROM key_feed_head'))[0]?.epoch;
const emptyDatabases = async (): Promise<Databases> => ({
  KEYS_DATABASE_URL: await postgres.createDatabase(),
  DEPLOYMENTS_DATABASE_URL: await postgres.createDatabase(),
});
const tablesIn = async (url: string): Promise<number> =>
  (await rows(url, `SELECT FROM pg_tables WHERE schemaname !~ '^pg_' AND schemaname <> 'information_schema'`)).length;

const createKey = async (name: string): Promise<Key> => {
  const { id, value } = await rpc.ask(CreateKey, { account, name, actor });
  return { id, value };
};

/** What the gateway answers to a key: 404 for a good one, since there is no such deployment, 401 for another. */
async function statusOf({ value }: Pick<Key, 'value'>): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${gateway.port('gateway.listening')}/deployment-999/v1/models`, {
    headers: { 'x-api-key': value },
  });
  await response.arrayBuffer();
  return response.status;
}
const becomes = (key: Key, status: number): Promise<unknown> =>
  until(`a key is answered ${status}`, async () => (await statusOf(key)) === status);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-backup-'));
  archive = join(folder, 'backup.tar');
  [postgres, bus] = await Promise.all([startTestPostgres(), Bus.start()]);
  source = { KEYS_DATABASE_URL: await keysDatabase(postgres), DEPLOYMENTS_DATABASE_URL: await deploymentsDatabase(postgres) };
  rpc = new PatientRpc(new RpcClient(await bus.connect('ops'), ENV));
  await startServices(source);
  gateway = await start('gateway', source);
  account = (await rpc.ask(CreateAccount, { slug: 'acme', actor })).id;
});

afterAll(async () => {
  await stopServices();
  await gateway?.end();
  await bus?.end();
  await postgres?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe('a backup under load', () => {
  it('comes back elsewhere with its keys, in a new epoch', { timeout: 120_000 }, async () => {
    const [revoked, rotated] = [await createKey('stolen'), await createKey('old')];
    let isOver = false;
    let made = 0;
    const load = (async () => {
      for (; !isOver; made += 1) await becomes(await createKey(`load-${made}`), 404);
    })();
    await until('keys are made', () => made > 2);
    const backup = await slipway(source, 'backup', archive, '--json');
    isOver = true;
    await load;
    expect(backup.stderr).toContain('BLOB_DIR');
    expect(documentOf<{ databases: object[] }>(backup).databases).toMatchObject([{ name: 'keys' }, { name: 'deployments' }]);

    const late = await createKey('late');
    await rpc.ask(RevokeKey, { account, key: revoked.id, actor });
    await rpc.ask(RotateKey, { account, key: rotated.id, actor });
    await rpc.ask(RevokeKey, { account, key: late.id, actor });
    await becomes(rotated, 401);
    await becomes(revoked, 401);
    const nats = { NATS_URL: bus.url, NATS_CREDENTIALS_DIR: bus.credentialsDir };
    const audit = join(folder, 'audit.jsonl');
    await writeFile(audit, (await slipway(nats, 'audit', 'export')).stdout);

    const running = await slipway(source, 'restore', archive, '--replace');
    expect([running.code, running.stderr]).toEqual([1, expect.stringContaining('is running on this database')]);

    await stopServices();
    const target = await emptyDatabases();
    const run = await slipway({ ...target, ...nats }, 'restore', archive, '--audit', audit);
    expect([run.code, run.stderr]).toEqual([0, '']);
    expect(run.stdout).toMatch(
      new RegExp(`acme +key\\.revoke +key:${revoked.id} +stolen +npx slipway keys revoke ${revoked.id} --account acme$`, 'm'),
    );
    expect(run.stdout).toMatch(new RegExp(`key\\.rotate +key:${rotated.id} +old +npx slipway keys rotate ${rotated.id} `, 'm'));
    expect(run.stdout).not.toContain(`key:${late.id} `);
    const former = await epochIn(target.KEYS_DATABASE_URL);
    expect(former).toBe(await epochIn(source.KEYS_DATABASE_URL));

    await startServices(target);
    await becomes(revoked, 404);
    await becomes(rotated, 404);
    expect(await statusOf(late)).toBe(401);
    expect(await epochIn(target.KEYS_DATABASE_URL)).not.toBe(former);
    const next = await createKey('after');
    await becomes(next, 404);
    expect((await slipway(nats, 'audit', 'verify')).stderr).toContain('tuning-service does not run');
    await stopServices();
  });
});

describe('a restore', () => {
  it('replaces what a database holds only when it is told to', async () => {
    const target = await emptyDatabases();
    expect((await slipway(target, 'restore', archive)).code).toBe(0);
    const again = await slipway(target, 'restore', archive);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('is not empty. With --replace')]);
    await rows(target.KEYS_DATABASE_URL, `DELETE FROM keys.key`);
    expect((await slipway(target, 'restore', archive, '--replace', '--only', 'keys')).code).toBe(0);
    expect((await rows(target.KEYS_DATABASE_URL, 'SELECT FROM keys.key')).length).toBeGreaterThan(4);
    const seal = `DELETE FROM audit.entry WHERE id = (SELECT min(id) FROM audit.entry)`;
    await expect(rows(target.KEYS_DATABASE_URL, seal)).rejects.toThrow('append-only');
  });

  it('is refused with another pepper or secret key', async () => {
    const target = await emptyDatabases();
    const pepper = await slipway({ ...target, KEY_PEPPERS: `p1:${'ef'.repeat(32)}` }, 'restore', archive);
    expect([pepper.code, pepper.stderr]).toEqual([1, expect.stringContaining('"p1" is not the pepper of the backup')]);
    const secret = await slipway({ ...target, SLIPWAY_SECRET_KEY: '12'.repeat(32) }, 'restore', archive);
    expect([secret.code, secret.stderr]).toEqual([1, expect.stringContaining('SLIPWAY_SECRET_KEY: is not the key of the backup')]);
    expect(await tablesIn(target.KEYS_DATABASE_URL)).toBe(0);
  });

  it('is refused from a damaged archive', async () => {
    const target = await emptyDatabases();
    const bytes = await readFile(archive);
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
    const broken = join(folder, 'broken.tar');
    await writeFile(broken, bytes);
    const run = await slipway(target, 'restore', broken);
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('(archive_damaged)')]);
    expect(await tablesIn(target.KEYS_DATABASE_URL)).toBe(0);
  });

  it('that is interrupted leaves nothing', async () => {
    const { KEYS_DATABASE_URL } = await emptyDatabases();
    const env = { PATH: process.env['PATH'], SLIPWAY_ENV: ENV, KEYS_DATABASE_URL };
    const child = spawn(process.execPath, [KEYS_MAIN, `--restore=${archive}`], { env, stdio: ['pipe', 'pipe', 'inherit'] });
    const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'close')])) as [Buffer];
    expect(JSON.parse(String(line))).toMatchObject({ migrated: [] });
    child.stdin.end();
    const [code] = (await once(child, 'close')) as [number];
    expect([code, await tablesIn(KEYS_DATABASE_URL)]).toEqual([1, 0]);
  });

  it('of one database changes no other when that fails', async () => {
    const target = await emptyDatabases();
    await rows(target.DEPLOYMENTS_DATABASE_URL, 'CREATE TABLE other (id integer)');
    const run = await slipway(target, 'restore', archive);
    expect([run.code, run.stderr]).toEqual([1, expect.stringContaining('deployments-service is not empty')]);
    expect(await tablesIn(target.KEYS_DATABASE_URL)).toBe(0);
  });
});
