import {
  DeploymentId,
  ExpelWorker,
  Incarnation,
  JoinWorker,
  ListWorkers,
  NameWorkers,
  runnerName,
  type WorkerIdentity,
  WORKER_NAMES_MAX,
} from '@slipway/contracts';
import { connectNats, createLogger, type NatsConnection, newUserKey, nuid, RpcClient, type UserKey } from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bus, ENV } from '../services/bus.js';
import type { TestService } from '../services/test-service.js';
import { startKeysService } from './keys-service.js';

/** An agent with its own NATS connection. */
interface Joined {
  readonly wk: Incarnation;
  readonly key: UserKey;
  readonly rpc: RpcClient;
}
type Named = { wk: Incarnation; key: string };

const ONE = DeploymentId.parse(1);
const log = createLogger('test', 'silent');

describe('the names of workers', () => {
  let postgres: TestPostgres;
  let bus: Bus;
  let keys: TestService;
  let database: Client;
  let joining: RpcClient;
  const connections: NatsConnection[] = [];

  beforeAll(async () => {
    [postgres, bus] = await Promise.all([startTestPostgres(), Bus.start(1, true)]);
    const url = await postgres.createDatabase();
    keys = await startKeysService(bus, { KEYS_DATABASE_URL: url }).ready();
    database = new Client({ connectionString: url });
    await database.connect();
    joining = new RpcClient(await bus.connect('join'), ENV);
  });
  afterAll(async () => {
    await Promise.all(connections.map((nats) => nats.close()));
    await database?.end();
    await keys?.end();
    await bus?.end();
    await postgres?.stop();
  });

  const join = ({ wk, key }: Pick<Joined, 'wk' | 'key'>, host = 'h1'): Promise<WorkerIdentity> =>
    joining.call(JoinWorker, { wk, key: key.public, host });

  async function anAgent(): Promise<Joined> {
    const own = { wk: Incarnation.parse(nuid.next()), key: newUserKey() };
    const { jwt } = await join(own);
    const nats = await connectNats({ url: bus.url, role: 'agent', identity: { ...own, jwt }, name: 'agent', log });
    connections.push(nats);
    return { ...own, rpc: new RpcClient(nats, ENV) };
  }
  const someNames = ({ wk }: Joined, count = WORKER_NAMES_MAX): Named[] =>
    Array.from({ length: count }, () => ({ wk: runnerName(wk, ONE, nuid.next()), key: newUserKey().public }));
  const name = ({ wk, rpc }: Joined, names: Named[]) => rpc.call(NameWorkers, { wk, names }, { wk });
  /** Inserts names of an agent for runners of deployment 2. */
  const seed = (agent: string, count: number, key = 'U', ends = '20 hours') =>
    database.query(
      `INSERT INTO keys.worker_name (wk, public_key, host, expires_at)
       SELECT $1 || '-2_' || n, $2, NULL, now() + $4::interval FROM generate_series(1, $3) n`,
      [agent, key, count, ends],
    );
  const countOf = async (agent: string): Promise<number> => {
    const { rows } = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM keys.worker_name WHERE wk = $1 OR wk LIKE $1 || '-%'`,
      [agent],
    );
    return rows[0]?.n ?? 0;
  };

  it('are issued and renewed for many runners', async () => {
    const [honest, greedy] = [await anAgent(), await anAgent()];
    const names = someNames(honest, 2);
    await name(honest, names);
    await seed(greedy.wk, 201_000);
    expect((await name(honest, names)).identities).toHaveLength(2);
    expect((await name(honest, someNames(honest, 2))).identities).toHaveLength(2);
    await expect(join(honest)).resolves.toMatchObject({ wk: honest.wk });
    await expect(anAgent()).resolves.toBeDefined();
  });

  it('of one agent are limited to the latest renewed', async () => {
    const greedy = await anAgent();
    const used = someNames(greedy, 3);
    await name(greedy, used);
    await seed(greedy.wk, 5_000, newUserKey().public);
    await name(greedy, someNames(greedy));
    expect(await countOf(greedy.wk)).toBe(1 + 4_096);
    const { rows } = await database.query(`SELECT wk FROM keys.worker_name WHERE wk = ANY($1)`, [used.map(({ wk }) => wk)]);
    expect(rows).toHaveLength(3);
  });

  it('of a runner are renewed even when deleted', async () => {
    const agent = await anAgent();
    const key = newUserKey().public;
    await seed(agent.wk, 5_000, key, '1 hour');
    await name(agent, someNames(agent));
    const forgotten = { wk: Incarnation.parse(`${agent.wk}-2_999`), key };
    const { identities } = await name(agent, [forgotten]);
    expect(identities.map(({ wk }) => wk)).toEqual([forgotten.wk]);
  });

  it('are refused to an expelled worker and its runners', async () => {
    const ops = new RpcClient(await bus.connect('ops'), ENV);
    const [agent, other] = [await anAgent(), await anAgent()];
    const names = someNames(agent, 2);
    await name(agent, names);
    const actor = { kind: 'ops', client: 'test' } as const;
    const listed = async () => {
      const { workers } = await ops.call(ListWorkers, { after: Incarnation.parse(agent.wk.slice(0, -1)) });
      return workers.find(({ wk }) => wk === agent.wk);
    };
    expect(await listed()).toMatchObject({ host: 'h1', runners: 2, expelled_at: null });
    const { until } = await ops.call(ExpelWorker, { wk: agent.wk, actor });
    expect(Date.parse(until)).toBeGreaterThan(Date.now());
    for (const asked of [names, someNames(agent, 1), [{ wk: agent.wk, key: agent.key.public }]]) {
      await expect(name(agent, asked)).rejects.toMatchObject({ code: 'not_permitted' });
    }
    await expect(join(agent)).rejects.toMatchObject({ code: 'not_permitted' });
    await expect(name(other, someNames(other, 1))).resolves.toBeDefined();
    expect(await listed()).toMatchObject({ expelled_at: expect.any(String) as string });
    expect(await ops.call(ExpelWorker, { wk: agent.wk, actor })).toEqual({ until });
    const { rows } = await database.query(`SELECT action, object_name FROM audit.entry WHERE object = $1`, [`worker:${agent.wk}`]);
    expect(rows).toEqual([{ action: 'worker.expel', object_name: 'h1' }]);
    for (const wk of [Incarnation.parse('nobody'), runnerName(agent.wk, ONE, 'x')]) {
      await expect(ops.call(ExpelWorker, { wk, actor })).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('are limited per host and minute, renewals excepted', async () => {
    const first = { wk: Incarnation.parse(nuid.next()), key: newUserKey() };
    await join(first, 'crashing');
    const key = newUserKey();
    const another = () => join({ wk: Incarnation.parse(nuid.next()), key }, 'crashing');
    // If the minute ends meanwhile, a second one begins; two allow 240 joins.
    let refusal: unknown = null;
    for (let n = 0; n < 241 && refusal === null; n += 1)
      refusal = await another().then(
        () => null,
        (error: unknown) => error,
      );
    expect(refusal).toMatchObject({ code: 'rate_limit_exceeded' });
    await expect(join(first, 'crashing')).resolves.toMatchObject({ wk: first.wk });
    await expect(join({ wk: Incarnation.parse(nuid.next()), key: newUserKey() }, 'another')).resolves.toBeDefined();
  });
});
