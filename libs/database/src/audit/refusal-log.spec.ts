import type { AccountId, Actor, UserId } from '@slipway/contracts';
import { beforeEach, expect, it, vi } from 'vitest';
import type { Transactions } from '../transactions.js';
import { type AuditedRefusal, RefusalLog } from './refusal-log.js';

type Row = readonly unknown[];

let rows: Row[];
let logged: unknown[];
let fails: boolean;
let log: RefusalLog;

beforeEach(() => {
  [rows, logged, fails] = [[], [], false];
  const transactions = {
    run: async (work: (tx: unknown) => Promise<unknown>) => {
      const written: Row[] = [];
      await work({ query: (_: string, values: Row) => Promise.resolve(void written.push(values)) });
      if (fails) throw new Error('the database is away');
      rows.push(...written);
    },
  } as unknown as Transactions;
  log = new RefusalLog({ transactions, log: { warn: (...line: unknown[]) => void logged.push(line) } });
});

const user = (id: number): Actor => ({ kind: 'user', user: id as UserId, address: '192.0.2.7' });
const refusal = (id = 7, { account = 1, name = 'create-key', reason = 'role' } = {}): AuditedRefusal => ({
  ...{ by: { account: account as AccountId, actor: user(id) }, caller: 'console', subject: `key.{env}.v1.rpc.${name}`, reason },
});
/** Actor, object and facts of what was written. */
const written = (): unknown[] =>
  rows.map(([account, action, kind, id, , object, , , , facts]) => [
    account,
    action,
    kind,
    id,
    object,
    JSON.parse(facts as string) as unknown,
  ]);

it('writes one entry per actor and subject', async () => {
  for (let n = 0; n < 500; n += 1) log.take(refusal());
  log.take(refusal(7, { reason: 'foreign' }));
  log.take(refusal(8));
  log.take(refusal(7, { name: 'revoke-key' }));
  log.take({ ...refusal(), by: { account: 1 as AccountId, actor: { kind: 'key', key: 7 as never } } });
  expect(rows).toEqual([]);
  await log.flush();
  expect(written()).toEqual([
    [1, 'call.refused', 'user', 7, 'rpc:create-key', { times: 501, reason: 'foreign, role' }],
    [1, 'call.refused', 'user', 8, 'rpc:create-key', { times: 1, reason: 'role' }],
    [1, 'call.refused', 'user', 7, 'rpc:revoke-key', { times: 1, reason: 'role' }],
    [1, 'call.refused', 'key', 7, 'rpc:create-key', { times: 1, reason: 'role' }],
  ]);
  await log.flush();
  expect(rows).toHaveLength(4);
});

it('writes one minute after the first refusal', async () => {
  vi.useFakeTimers();
  try {
    for (let n = 0; n < 59; n += 1) {
      log.take(refusal());
      await vi.advanceTimersByTimeAsync(1_000);
    }
    expect(rows).toEqual([]);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(written()).toEqual([[1, 'call.refused', 'user', 7, 'rpc:create-key', { times: 59, reason: 'role' }]]);
    log.take(refusal());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(rows).toHaveLength(2);
  } finally {
    vi.useRealTimers();
  }
});

it('bounds entries and counts the omitted refusals', async () => {
  for (let id = 1; id <= 1_000; id += 1) log.take(refusal(id));
  for (let account = 2; account <= 10; account += 1)
    for (let id = 1; id <= 40; id += 1) log.take(refusal(id + account * 1_000, { account }));
  await log.flush();
  expect(rows.filter(([account]) => account === 1)).toHaveLength(50);
  expect(rows).toHaveLength(200);
  expect(logged).toEqual([[{ refusals: 1_000 + 360 - 200 }, 'audit.refusals_left_out']]);
});

it('keeps refusals while the database is away', async () => {
  fails = true;
  log.take(refusal());
  await log.flush();
  expect(logged).toEqual([[{ entries: 1, err: new Error('the database is away') }, 'audit.refusals_unrecorded']]);
  log.take(refusal());
  fails = false;
  await log.stop();
  expect(written()).toEqual([[1, 'call.refused', 'user', 7, 'rpc:create-key', { times: 2, reason: 'role' }]]);
});

it('groups unproven calls by caller and object', async () => {
  const subject = 'key.{env}.v1.rpc.create-key';
  for (let n = 0; n < 500; n += 1) log.take({ caller: 'console', subject, reason: n % 2 === 0 ? 'unproven' : 'invalid' });
  for (let n = 0; n < 500; n += 1) {
    const origin = { address: `192.0.2.${n % 250}` };
    log.note({ action: 'session.sign_in_failed', object: 'sign_in:identity_provider', reason: 'not_permitted', origin });
  }
  for (let n = 0; n < 500; n += 1) log.take({ caller: 'console', subject: `${subject}-${n}`, reason: 'unproven' });
  await log.flush();
  expect(written().slice(0, 2)).toEqual([
    [null, 'call.refused', 'unknown', null, 'rpc:create-key', { times: 500, reason: 'invalid, unproven', caller: 'console' }],
    [null, 'session.sign_in_failed', 'unknown', null, 'sign_in:identity_provider', { times: 500, reason: 'not_permitted' }],
  ]);
  expect(rows).toHaveLength(50);
});
