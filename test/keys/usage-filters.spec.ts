import { type AccountId, QueryUsage, type UsageRow } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { KeysWorld } from './keys-world.js';

const FROM = '2026-11-01T00:00:00Z';
const TO = '2026-11-02T00:00:00Z';

describe('usage of an account, filtered', () => {
  let world: KeysWorld;
  let account: AccountId;
  beforeAll(async () => {
    world = await KeysWorld.start();
    await world.replica();
    account = await world.account();
    // One request for each combination: key, deployment, contract, status.
    await world.sql(
      `INSERT INTO usage.minute (account_id, minute, key_id, deployment_id, alias, api, status, requests, prompt, cached, completion)
       SELECT $1, '2026-11-01T10:00:00Z', key, deployment, '', api, status, 1, 1, 0, 1
       FROM generate_series(1, 3) key, unnest(ARRAY[0, 7]) deployment, unnest(ARRAY['chat', 'messages']) api,
         unnest(ARRAY['completed', 'model_not_found']) status`,
      [account],
    );
    await world.sql(
      `INSERT INTO usage.latency (account_id, minute, key_id, deployment_id, alias, api, figure, bucket, requests)
       SELECT $1, '2026-11-01T10:00:00Z', 1, 7, '', 'chat', 'duration_ms', 40, 1`,
      [account],
    );
  });
  afterAll(() => world?.end());

  type Question = Partial<Parameters<typeof world.ask<typeof QueryUsage>>[1]>;
  const rowsOf = async (question: Question): Promise<UsageRow[]> =>
    (await world.ask(QueryUsage, { account, from: FROM, to: TO, step: 'total', group_by: [], ...question })).rows;
  const requests = async (question: Question): Promise<number> => (await rowsOf(question))[0]?.requests ?? 0;

  it('holds all filters together', async () => {
    expect(await requests({})).toBe(24);
    expect(await requests({ api: 'chat' })).toBe(12);
    expect(await requests({ status: 'completed' })).toBe(12);
    expect(await requests({ keys: [1, 2] })).toBe(16);
    expect(await requests({ keys: [1, 99], api: 'messages', status: 'model_not_found' })).toBe(2);
    expect(await requests({ api: 'responses' })).toBe(0);
  });

  it('has latency of completed requests only', async () => {
    const latency = async (status: string) => (await rowsOf({ status, latency: true }))[0]?.latency;
    expect(Object.keys((await latency('completed')) ?? {})).toHaveLength(1);
    expect(await latency('model_not_found')).toEqual({});
  });

  it('names no deployment where the key had none', async () => {
    const rows = await rowsOf({ group_by: ['deployment'], key: 1 });
    expect(rows.map(({ deployment, requests: count }) => [deployment, count])).toEqual([
      [undefined, 4],
      [7, 4],
    ]);
  });
});
