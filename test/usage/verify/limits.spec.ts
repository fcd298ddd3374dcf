import { SetKeyLimits, type UsageRow } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { ask, untilStatus } from '../limited-requests.js';
import { UsageRig } from '../usage-rig.js';

describe('limits', () => {
  let rig: UsageRig;
  beforeAll(async () => {
    rig = await UsageRig.start(2);
  }, 240_000);
  afterAll(() => rig?.end(), 60_000);

  it("of tokens per day survive a gateway's restart", async () => {
    const tenant = await rig.tenant();
    const counted = (requests: number): Promise<UsageRow> =>
      until(
        `${requests} requests are counted`,
        async () => {
          const row = (await rig.usage(tenant, ['status'])).find(({ status }) => status === 'completed');
          return row?.requests === requests && row;
        },
        30_000,
      );
    const before = await counted(rig.gateways.length);
    const used = before.prompt_tokens + before.completion_tokens;
    // Each request uses 10 tokens; 20 for the answer and about 7 for the prompt are reserved before.
    await rig.command(SetKeyLimits, { account: tenant.account, key: tenant.key.id, limits: { tokens_per_day: used + 100 } });
    // Only the ledger counts requests before a gateway knows the budget. A gateway that knows a later tenant knows it.
    await rig.tenant();
    await untilStatus(rig.gateways[0]!, tenant, 200);
    for (let i = 0; i < 20; i += 1) await ask(rig.gateways[0]!, tenant);
    const refused = await ask(rig.gateways[0]!, tenant);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30']);
    expect((await refused.json()) as object).toMatchObject({ error: { type: 'tokens', code: 'rate_limit_exceeded' } });
    const after = await counted(rig.gateways.length + 8);
    expect(after.prompt_tokens + after.completion_tokens - used).toBe(80);
    const refusals = await until(
      'the refused requests are counted',
      async () =>
        (await rig.usage(tenant, ['status', 'key', 'deployment', 'alias', 'api'])).find(
          ({ status, requests }) => status === 'rate_limit_exceeded' && requests >= 14,
        ),
      30_000,
    );
    expect(refusals).toMatchObject({
      ...{ key: tenant.key.id, deployment: tenant.deployment, alias: 'demo', api: 'chat', requests: 14, errors: 14 },
      ...{ prompt_tokens: 0, cached_tokens: 0, completion_tokens: 0 },
    });
    await untilStatus(rig.gateways[1]!, tenant, 429);
    const doomed = rig.processes('gateway').at(-1)!;
    await doomed.stop();
    const fresh = await rig.restart(doomed).ready();
    expect((await untilStatus(rig.addressOf(fresh), tenant, 429)).status).toBe(429);
  }, 120_000);

  it('that refuse are counted like other refusals', async () => {
    const tenant = await rig.tenant();
    await untilStatus(rig.gateways[0]!, tenant, 200);
    const send = async (path: string, body: string): Promise<number> => {
      const headers = { authorization: `Bearer ${tenant.key.value}`, 'content-type': 'application/json' };
      return (await fetch(`${rig.gateways[0]!}${path}/v1/chat/completions`, { method: 'POST', headers, body })).status;
    };
    const authorization = `Bearer ${tenant.key.value}`;
    expect((await fetch(`${rig.gateways[0]!}/deployment-2000000001/v1/models`, { headers: { authorization } })).status).toBe(404);
    expect(await send('/deployment-2000000000', '{}')).toBe(404);
    expect(await send(`/deployment-${tenant.deployment}`, '{')).toBe(400);
    expect(await send(`/deployment-${tenant.deployment}`, '{"messages":[]}')).toBe(400);
    const refusals = await until(
      'all three are counted',
      async () => {
        const all = await rig.usage(tenant, ['status', 'key', 'deployment']);
        // Requests before the gateway knew a worker of the deployment were refused, too.
        const rows = all.filter(({ errors, status }) => errors > 0 && status !== 'deployment_unavailable');
        return rows.length === 3 ? rows : null;
      },
      30_000,
    );
    const codes = Object.fromEntries(refusals.map(({ status, deployment, key }) => [status, [key, deployment]]));
    expect(codes['model_not_found']).toEqual([tenant.key.id, undefined]);
    // The question about a model is no usage.
    expect(refusals.find(({ status }) => status === 'model_not_found')).toMatchObject({ requests: 1 });
    expect(codes['invalid_json']).toEqual([tenant.key.id, tenant.deployment]);
  }, 120_000);
});
