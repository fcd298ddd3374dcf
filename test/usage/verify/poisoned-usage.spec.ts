import { createHmac, hkdfSync } from 'node:crypto';
import {
  type AccountId,
  CreateKey,
  type KeyId,
  QueryBudgets,
  QueryUsage,
  RevokeKey,
  type StreamId,
  subjectOf,
  TOKENS_MAX,
  UsageOrphaned,
  type UsageRecord,
  UsageRecorded,
  UsageStream,
} from '@slipway/contracts';
import { ensureWorkStream, pepperOf, RpcClient, StreamClaims } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PEPPER } from '../../keys/keys-service.js';
import { KeysWorld } from '../../keys/keys-world.js';
import { ENV } from '../../services/bus.js';
import { until } from '../../testing/until.js';

const ORPHAN_WAIT_MS = 1_000;
const DAY_MS = 86_400_000;

describe('usage that cannot be counted', { timeout: 120_000 }, () => {
  let world: KeysWorld;
  let streams = 0;
  beforeAll(async () => {
    world = await KeysWorld.start();
    await ensureWorkStream(UsageStream, { nats: await world.bus.connect('boot'), env: ENV, timeoutMs: 20_000 });
    await world.replica({ USAGE_ORPHAN_WAIT_MS: String(ORPHAN_WAIT_MS) });
  }, 120_000);
  afterAll(() => world?.end(), 60_000);

  interface Holder {
    readonly account: AccountId;
    readonly key: KeyId;
  }
  const holder = async (): Promise<Holder> => {
    const account = await world.account();
    const { id: key } = await world.ask(CreateKey, { account, name: 'a key' });
    return { account, key };
  };
  const recordOf = ({ account, key }: Holder, more: Partial<UsageRecord> = {}): Record<string, unknown> => ({
    ...{ st: `poison-${(streams += 1)}`, at: 1, final: true, acct: account, key, dep: 1, rev: 1, api: 'chat', stream: false },
    ...{ started: Date.now(), ttft_ms: 5, ms: 9, prompt: 3, cached: 0, completion: 4, status: 'completed' },
    ...more,
  });
  /** A worker's count of a stream that a gateway opened. */
  const orphanRecord = (
    of: Holder,
    more: Partial<UsageRecord> = {},
    { claims = new StreamClaims([PEPPER]), started = Date.now() } = {},
  ): Record<string, unknown> => {
    const record = { ...recordOf(of, more), gw: 'gw-gone' };
    const { st, gw } = record as unknown as { st: string; gw: string };
    const claim = claims.make({ st, gw, account: of.account, key: of.key, deployment: 1 }, { prompt: 100, completion: 50, started });
    return { ...record, claim };
  };
  /** With a claim of the previous release, which states no time. */
  const untimedRecord = (of: Holder, more: Partial<UsageRecord> = {}): Record<string, unknown> => {
    const record = orphanRecord(of, more);
    const key = Buffer.from(hkdfSync('sha256', PEPPER.secret, '', 'slipway stream claim', 32));
    const text = JSON.stringify([record['st'], record['gw'], of.account, of.key, 1, 100, 50]);
    return { ...record, claim: `100.50.${createHmac('sha256', key).update(text).digest('base64url')}` };
  };
  const sendOrphans = async (...records: readonly unknown[]): Promise<void> => {
    const worker = await world.bus.connect('worker');
    for (const record of records) await worker.request(subjectOf(UsageOrphaned, { env: ENV }), JSON.stringify(record));
  };
  /** Milliseconds since 1970 at which a key's requests began. */
  const beginnings = async ({ key }: Holder): Promise<number[]> =>
    (
      await world.sql<{ at: number }>(`SELECT extract(epoch FROM started_at)::float8 * 1000 AS at FROM usage.request WHERE key_id = $1`, [
        key,
      ])
    ).map(({ at }) => Math.round(at));
  const send = async (message: unknown): Promise<void> => {
    const nats = await world.bus.connect('gateway');
    await nats.request(subjectOf(UsageRecorded, { env: ENV }), typeof message === 'string' ? message : JSON.stringify(message));
  };
  const tokensOf = async ({ key }: Holder): Promise<number> =>
    (await world.sql<{ tokens: number }>(`SELECT coalesce(sum(tokens), 0)::float8 AS tokens FROM usage.day WHERE key_id = $1`, [key]))[0]!
      .tokens;
  const counted = (of: Holder, tokens: number): Promise<unknown> =>
    until(`${tokens} tokens are counted`, async () => (await tokensOf(of)) === tokens, 30_000);
  const setAside = async (why: string): Promise<number> =>
    (await world.sql<{ n: number }>(`SELECT count(*)::int AS n FROM usage.rejected WHERE why = $1`, [why]))[0]!.n;
  /** Makes the database refuse usage of a key, as an unknown fault of the schema would. */
  const refuse = async (key: KeyId): Promise<() => Promise<unknown>> => {
    await world.sql(`ALTER TABLE usage.last_used ADD CONSTRAINT refused CHECK (key_id <> ${key}) NOT VALID`);
    return () => world.sql(`ALTER TABLE usage.last_used DROP CONSTRAINT refused`);
  };

  it('is set aside, and the rest is counted', async () => {
    const [good, liar] = [await holder(), await holder()];
    const lies = [{ completion: 9e15 }, { prompt: TOKENS_MAX + 1 }, { started: Date.now() + 172_800_000 }, { key: -1 as KeyId }];
    await send({ records: [recordOf(good), ...lies.map((lie) => recordOf(liar, lie)), recordOf(good)] });
    await send('no JSON \u0000 at all');
    await send({ records: [recordOf(good)] });
    await counted(good, 21);
    expect(await tokensOf(liar)).toBe(0);
    await until('all are set aside', async () => (await setAside('unreadable')) === 5);
    const reasons = (await world.sql<{ reason: string }>(`SELECT reason FROM usage.rejected ORDER BY id`)).map(({ reason }) => reason);
    expect(reasons.slice(0, 3).map((reason) => reason.split(':')[0])).toEqual(['completion', 'prompt', 'started']);
  });

  it('is found in its batch and not redelivered', async () => {
    const [good, refused] = [await holder(), await holder()];
    const accept = await refuse(refused.key);
    try {
      await send({ records: Array.from({ length: 60 }, (_, i) => recordOf(i === 23 || i === 59 ? refused : good)) });
      await counted(good, 58 * 7);
      await until('both are set aside', async () => (await setAside('refused')) === 2);
      expect(await tokensOf(refused)).toBe(0);
      const worker = await world.bus.connect('worker');
      for (const of of [refused, good]) {
        await worker.request(subjectOf(UsageOrphaned, { env: ENV }), JSON.stringify(orphanRecord(of)));
      }
      // Written by a version without bounds.
      await world.sql(`INSERT INTO usage.orphan (st, record) VALUES ('poison-old', $1)`, [
        JSON.stringify({ ...orphanRecord(refused, { st: 'poison-old' as StreamId }), completion: 9e15 }),
      ]);
      await counted(good, 59 * 7);
      await until('the orphan is set aside', async () => (await setAside('refused')) === 3);
      expect(await world.sql(`SELECT FROM usage.orphan`)).toEqual([]);
    } finally {
      await accept();
    }
  });

  it('of a worker is limited to claimed streams', async () => {
    const [good, robbed] = [await holder(), await holder()];
    const before = await setAside('unclaimed');
    const other = new StreamClaims([pepperOf('x', Buffer.alloc(32, 1))]);
    const overheard = orphanRecord(good);
    const forged = [
      // From the previous release, or without a claim.
      { ...orphanRecord(robbed), claim: undefined },
      orphanRecord(robbed, {}, { claims: other }),
      // With the claim of a stream that the worker served, for another key or a second time.
      { ...orphanRecord(robbed), claim: overheard['claim'], st: overheard['st'] },
      { ...overheard, st: 'poison-again' },
    ];
    const worker = await world.bus.connect('worker');
    for (const record of [...forged, { ...orphanRecord(good), prompt: 8_900_000, completion: 8_900_000 }])
      await worker.request(subjectOf(UsageOrphaned, { env: ENV }), JSON.stringify(record));
    // Stored by a version that required no claim.
    await world.sql(`INSERT INTO usage.orphan (st, record) VALUES ('poison-unclaimed', $1)`, [
      JSON.stringify({ ...forged[0], st: 'poison-unclaimed' }),
    ]);
    await counted(good, 150);
    await until('the others are set aside', async () => (await setAside('unclaimed')) === before + forged.length + 1, 30_000);
    expect(await tokensOf(robbed)).toBe(0);
    expect(await world.sql(`SELECT FROM usage.orphan`)).toEqual([]);
  });

  it('of workers is added up for the parts of a request', async () => {
    const [lost, recorded] = [await holder(), await holder()];
    const streams = ['l', 'r'].map((letter) => letter.repeat(22));
    const partsOf = (of: Holder, st = ''): Record<string, unknown>[] =>
      [st, `${st}_1`, `${st}_2`].map((part) => orphanRecord(of, { st: part as StreamId, api: 'embeddings', prompt: 30, completion: 0 }));
    // One request of a gateway that died, and one whose gateway left its record before it died.
    await send(recordOf(recorded, { st: streams[1] as StreamId, api: 'embeddings', prompt: 90, completion: 0 }));
    const [first, ...others] = partsOf(lost, streams[0]);
    await sendOrphans(...others, ...partsOf(recorded, streams[1]));
    await sendOrphans(first);
    await counted(lost, 90);
    await until('all are taken', async () => (await world.sql(`SELECT FROM usage.orphan`)).length === 0, 30_000);
    expect([await tokensOf(lost), await tokensOf(recorded)]).toEqual([90, 90]);
    expect(await beginnings(lost)).toHaveLength(1);
  });

  it('of a worker counts at the claimed time only', async () => {
    const [good, robbed, other] = [await holder(), await holder(), await holder()];
    const before = await setAside('unclaimed');
    const now = Date.now();
    // The worker's own time is ignored.
    const began = now - 3 * DAY_MS;
    await sendOrphans(orphanRecord(good, { started: now - 400 * DAY_MS, ms: 2_000_000_000 }, { started: began }));
    const replayed = [34.1, 36, 400].map((days) => orphanRecord(robbed, { started: now }, { started: now - days * DAY_MS }));
    await sendOrphans(...replayed, orphanRecord(robbed, {}, { started: now + 2 * 3_600_000 }));
    await counted(good, 7);
    expect(await beginnings(good)).toEqual([began]);
    const used = await world.sql<{ late: boolean }>(`SELECT at > now() AS late FROM usage.last_used WHERE key_id = $1`, [good.key]);
    expect(used).toEqual([{ late: false }]);
    // Claims without a time are accepted for the last day, during an upgrade.
    await sendOrphans(untimedRecord(other, { started: now - 30 * DAY_MS }));
    await counted(other, 7);
    expect((await beginnings(other))[0]).toBeGreaterThan(now - 1.1 * DAY_MS);
    await world.sql(`UPDATE usage.claims_timed SET since = now() - interval '25 hours'`);
    await sendOrphans(untimedRecord(robbed));
    await until('the others are set aside', async () => (await setAside('unclaimed')) === before + replayed.length + 2, 30_000);
    expect(await tokensOf(robbed)).toBe(0);
  });

  it('is kept in a thousand rows at most', async () => {
    const liar = await holder();
    for (let i = 0; i < 11; i += 1) await send({ records: Array.from({ length: 100 }, () => recordOf(liar, { completion: 9e15 })) });
    const last = recordOf(liar, { completion: 9e15 });
    await send(last);
    const isLast = async (): Promise<boolean> =>
      (await world.sql(`SELECT FROM usage.rejected WHERE record LIKE $1`, [`%"${String(last['st'])}"%`])).length === 1;
    await until('the last is set aside', isLast, 30_000);
    expect((await world.sql<{ n: number }>(`SELECT count(*)::int AS n FROM usage.rejected`))[0]?.n).toBe(1_000);
  });

  it('leaves no oversized sum from an earlier release', async () => {
    const [liar, old, good] = [await holder(), await holder(), await holder()];
    for (const of of [liar, old, good]) {
      await send(recordOf(of));
      await counted(of, 7);
    }
    await world.stopReplicas();
    // The state that the previous version left: a request of 9e15 tokens with its sums, and sums of deleted requests.
    const lie = `UPDATE usage.request SET completion = 9000000000000004 WHERE key_id = ${liar.key}`;
    const sums = `UPDATE usage.minute SET completion = completion + 9000000000000000 WHERE key_id = ${liar.key}`;
    const days = `UPDATE usage.day SET tokens = tokens + 9000000000000000 WHERE key_id = ${liar.key}`;
    for (const statement of [lie, sums, days]) await world.sql(statement);
    await world.sql(`UPDATE usage.day SET tokens = 9223372036854775807 WHERE key_id = ${old.key}`);
    await world.sql(`UPDATE usage.minute SET prompt = 9223372036854775807 WHERE key_id = ${old.key}`);
    await world.sql(`DROP TABLE usage.rejected`);
    await world.sql(`DELETE FROM migrations WHERE name = 'UsageBounds1768300000000'`);
    await world.replica({ USAGE_ORPHAN_WAIT_MS: String(ORPHAN_WAIT_MS) });
    for (const of of [liar, old, good]) await send(recordOf(of));
    await counted(good, 14);
    // The false request is out of the sums; the sums of deleted requests are reduced to what these can have used.
    await counted(liar, 7);
    await counted(old, 2 * TOKENS_MAX + 7);
    const range = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 3_600_000).toISOString() };
    const { rows } = await world.ask(QueryUsage, { account: liar.account, ...range, step: 'total', group_by: [] });
    expect(rows).toMatchObject([{ requests: 2, completion_tokens: 4 }]);
  });

  it('never keeps budgets from being answered', async () => {
    const [good, wrong] = [await holder(), await holder()];
    await send(recordOf(good));
    await counted(good, 7);
    await send(recordOf(wrong));
    await counted(wrong, 7);
    await world.sql(`UPDATE usage.day SET tokens = 9223372036854775807 WHERE key_id = ${wrong.key}`);
    const gateway = new RpcClient(await world.bus.connect('gateway'), ENV);
    const ask = (): Promise<{ keys: { id: number; day: number; month: number }[] }> =>
      gateway.call(QueryBudgets, { keys: [wrong.key, good.key], accounts: [wrong.account], requests: [] });
    const total = Number.MAX_SAFE_INTEGER;
    const expected = [
      { id: wrong.key, day: total, month: total },
      { id: good.key, day: 7, month: 7 },
    ];
    expect(await ask()).toMatchObject({ keys: expected, accounts: [{ day: total, month: total }] });
    // The ledger counts on.
    await send({ records: [recordOf(wrong), recordOf(good)] });
    await counted(good, 14);
    expect((await ask()).keys[0]).toEqual(expected[0]);
    await world.ask(RevokeKey, { account: wrong.account, key: wrong.key });
  });
});
