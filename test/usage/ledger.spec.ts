import {
  ListKeys,
  QueryUsage,
  type StreamId,
  subjectOf,
  type UsageGroup,
  type UsageRecord,
  UsageRecorded,
  type UsageRow,
} from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { ENV } from '../services/bus.js';
import { open, PROMPT_TOKENS, type Script, send, type Shape, UsageRig } from './usage-rig.js';

const SHAPES: readonly Shape[] = (['chat', 'messages'] as const).flatMap((api) => [true, false].map((stream) => ({ api, stream })));

describe('the ledger', () => {
  let rig: UsageRig;
  beforeAll(async () => {
    rig = await UsageRig.start(2);
  }, 180_000);
  afterAll(() => rig?.end(), 60_000);

  it('agrees with the engine to the token', async () => {
    const tenant = await rig.tenant();
    const first = async (): Promise<UsageRow | undefined | false> => {
      const [row] = await rig.usage(tenant);
      return row?.requests === rig.gateways.length && row;
    };
    const before = await until('the first requests are counted', first, 30_000);
    const completed: Script[] = Array.from({ length: 24 }, (_, i) => ({ tokens: i % 9, end: 'complete' }));
    const failed: Script[] = [1, 2, 3, 4].map((tokens) => ({ tokens, end: 'fail' }));
    const left: Script[] = [2, 3, 5, 7].map((tokens) => ({ tokens, end: 'hold' }));
    const at = (i: number): string => rig.gateways[i % 2] ?? '';
    for (const [i, script] of completed.entries()) await (await send(at(i), tenant, script, SHAPES[i % 4]!)).text();
    for (const [i, script] of failed.entries()) await (await send(at(i), tenant, script, SHAPES[i]!)).text().catch(() => '');
    for (const [i, script] of left.entries()) {
      const stream = await open(at(i), tenant, script, i % 2 === 0 ? 'chat' : 'messages');
      stream.leave();
    }
    const tokens = (scripts: readonly Script[]): number => scripts.reduce((sum, script) => sum + script.tokens, 0);
    const requests = completed.length + failed.length + left.length;
    await until('all requests are counted', async () => (await rig.usage(tenant))[0]?.requests === before.requests + requests, 30_000);
    const byStatus = Object.fromEntries((await rig.usage(tenant, ['status'])).map((row) => [row.status, row]));
    expect(byStatus['completed']).toMatchObject({
      requests: before.requests + completed.length,
      errors: 0,
      prompt_tokens: before.prompt_tokens + completed.length * PROMPT_TOKENS,
      completion_tokens: tokens(completed),
    });
    expect(byStatus['cancelled']).toMatchObject({ requests: left.length, errors: 0, completion_tokens: tokens(left) });
    expect(byStatus['engine_error']).toMatchObject({ requests: failed.length, errors: failed.length, completion_tokens: tokens(failed) });
    const [sum] = await rig.usage(tenant);
    expect(sum?.completion_tokens).toBe(tokens([...completed, ...failed, ...left]));
  }, 180_000);

  it('counts each request once, however its records come', async () => {
    const tenant = await rig.tenant();
    const record = (st: string, completion: number): UsageRecord => ({
      ...{ st: st as StreamId, at: 1, final: true, acct: tenant.account, key: tenant.key.id, dep: tenant.deployment, rev: 1 },
      ...{ api: 'chat', stream: false, started: Date.now(), ttft_ms: 5, ms: 9, prompt: 3, cached: 0, completion, status: 'completed' },
    });
    const [one, two, three] = [record('gathered-1', 10), record('gathered-2', 20), record('gathered-3', 30)];
    const messages = [one, { records: [one, two, { ...two, st: 'gathered-0', key: 'nobody' }, three] }, { records: [two] }, three];
    const nats = await rig.bus.connect('gateway');
    for (const message of messages) await nats.request(subjectOf(UsageRecorded, { env: ENV }), JSON.stringify(message));
    const counted = `SELECT st, completion::int AS completion FROM usage.request WHERE st LIKE 'gathered-%' ORDER BY st`;
    await until('all are counted', async () => (await rig.sql(counted)).length === 3, 30_000);
    expect(await rig.sql(counted)).toEqual([one, two, three].map(({ st, completion }) => ({ st, completion })));
    const sums = `SELECT sum(requests)::int AS requests, sum(completion)::int AS completion FROM usage.minute WHERE key_id = $1 AND alias = ''`;
    expect(await rig.sql(sums, [tenant.key.id])).toEqual([{ requests: 3, completion: 60 }]);
  }, 120_000);

  it('counts refused requests once, however often reported', async () => {
    const tenant = await rig.tenant();
    const count = (id: string, requests: number): object => ({
      ...{ id, acct: tenant.account, key: tenant.key.id, dep: tenant.deployment, api: 'messages' },
      ...{ started: Date.now(), status: 'rate_limit_exceeded', requests },
    });
    const [one, two] = [count('refused-1', 5), count('refused-2', 7)];
    const messages = [[one], [one, { ...two, id: 'refused-0', requests: -1 }, two], [two, two], [one]];
    const nats = await rig.bus.connect('gateway');
    for (const refused of messages) await nats.request(subjectOf(UsageRecorded, { env: ENV }), JSON.stringify({ records: [], refused }));
    const last = count('refused-3', 1);
    await nats.request(subjectOf(UsageRecorded, { env: ENV }), JSON.stringify({ records: [], refused: [last] }));
    const names = `SELECT id FROM usage.refusal WHERE id LIKE 'refused-%' ORDER BY id`;
    await until('all are counted', async () => (await rig.sql(names)).length === 3, 30_000);
    const row = (await rig.usage(tenant, ['status'])).find(({ status }) => status === 'rate_limit_exceeded');
    expect(row).toMatchObject({ requests: 13, errors: 13, prompt_tokens: 0, completion_tokens: 0 });
  }, 120_000);

  it("groups usage and states each key's last use", async () => {
    const tenant = await rig.tenant();
    const begun = Date.now();
    for (const shape of SHAPES) await (await send(rig.gateways[0]!, tenant, { tokens: 3, end: 'complete' }, shape)).text();
    const rows = await until(
      'all are counted',
      async () => {
        const found = await rig.usage(tenant, ['key', 'deployment', 'alias', 'api']);
        return found.reduce((sum, row) => sum + row.completion_tokens, 0) === 12 && found;
      },
      30_000,
    );
    expect(rows.map(({ key, deployment, alias, api, completion_tokens }) => [key, deployment, alias, api, completion_tokens])).toEqual([
      [tenant.key.id, tenant.deployment, 'demo', 'chat', 6],
      [tenant.key.id, tenant.deployment, 'demo', 'messages', 6],
    ]);
    const { keys } = await rig.command(ListKeys, { account: tenant.account });
    expect(Date.parse(keys[0]?.last_used_at ?? '')).toBeGreaterThanOrEqual(begun - 1_000);
  }, 120_000);

  it('states latency percentiles by deployment and step', async () => {
    const tenant = await rig.tenant();
    for (let tokens = 1; tokens < 7; tokens += 1)
      await (await send(rig.gateways[0]!, tenant, { tokens, end: 'complete' }, SHAPES[0]!)).text();
    await (await send(rig.gateways[0]!, tenant, { tokens: 2, end: 'fail' }, SHAPES[0]!)).text().catch(() => '');
    await until('all are counted', async () => (await rig.usage(tenant))[0]?.requests === rig.gateways.length + 7, 30_000);
    const nearest = (times: number[], share: number): number => times.toSorted((a, b) => a - b)[Math.ceil(share * times.length) - 1]!;
    const times = await rig.sql<{ ttft: number; ms: number }>(
      `SELECT ttft_ms::int AS ttft, ms::int AS ms FROM usage.request WHERE account_id = $1 AND status = 'completed'`,
      [tenant.account],
    );
    const near = (value: number | undefined, exact: number): void => expect(Math.abs(value! / Math.max(1, exact) - 1)).toBeLessThan(0.05);
    const now = Date.now();
    const range = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 3_600_000).toISOString() };
    const ask = async (step: 'day' | 'total', group_by: UsageGroup[]): Promise<UsageRow[]> =>
      (await rig.command(QueryUsage, { account: tenant.account, ...range, step, group_by, latency: true })).rows;
    for (const row of [...(await ask('total', [])), ...(await ask('total', ['deployment']))]) {
      near(
        row.latency?.ttft_ms?.p50,
        nearest(
          times.map(({ ttft }) => ttft),
          0.5,
        ),
      );
      near(
        row.latency?.duration_ms?.p95,
        nearest(
          times.map(({ ms }) => ms),
          0.95,
        ),
      );
      near(
        row.latency?.duration_ms?.p99,
        nearest(
          times.map(({ ms }) => ms),
          0.99,
        ),
      );
    }
    const byStatus = await ask('day', ['status', 'deployment', 'key']);
    for (const row of byStatus) expect(Object.keys(row.latency!).length > 0, row.status).toBe(row.status === 'completed');
    expect(byStatus.map(({ status }) => status)).toEqual(expect.arrayContaining(['completed', 'engine_error']));
    expect((await rig.usage(tenant))[0]).not.toHaveProperty('latency');
  }, 120_000);

  it('has sums that match its requests', async () => {
    const minutes = `SELECT account_id, key_id, status, sum(requests)::int AS requests, sum(prompt)::int AS prompt, sum(completion)::int AS completion`;
    const order = `GROUP BY account_id, key_id, status HAVING sum(requests) > 0 ORDER BY account_id, key_id, status`;
    const requests = `SELECT account_id, key_id, status, count(*)::int AS requests, sum(prompt)::int AS prompt, sum(completion)::int AS completion
      FROM usage.request GROUP BY account_id, key_id, status ORDER BY account_id, key_id, status`;
    // Refused requests are in the sums and have no row of their own.
    const summed = await rig.sql(`${minutes} FROM usage.minute WHERE status <> 'rate_limit_exceeded' ${order}`);
    expect(summed.length).toBeGreaterThan(0);
    expect(summed).toEqual(await rig.sql(requests));
    expect(
      await rig.sql(`SELECT key_id, sum(requests)::int AS n, sum(tokens)::int AS t FROM usage.day GROUP BY key_id ORDER BY key_id`),
    ).toEqual(
      await rig.sql(
        `SELECT key_id, count(*)::int AS n, sum(prompt + completion)::int AS t FROM usage.request GROUP BY key_id ORDER BY key_id`,
      ),
    );
  }, 60_000);
});
