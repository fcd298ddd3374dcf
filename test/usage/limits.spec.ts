import { FindAccountLimits, SetAccountLimits, SetKeyDeployments } from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, untilStatus } from './limited-requests.js';
import { open, UsageRig } from './usage-rig.js';

// Many requests at three gateways, and the loss of one, are under verify.
describe('limits', () => {
  let rig: UsageRig;
  beforeAll(async () => {
    rig = await UsageRig.start(3);
  }, 240_000);
  afterAll(() => rig?.end(), 60_000);

  it('are stated in headers of answers and refusals', async () => {
    const tenant = await rig.tenant();
    await rig.limit(tenant, { requests_per_minute: 2, tokens_per_minute: 1_000 });
    const answered = await ask(rig.gateways[0]!, tenant);
    expect([answered.status, answered.headers.get('x-ratelimit-limit-requests'), answered.headers.get('x-ratelimit-limit-tokens')]).toEqual(
      [200, '2', '1000'],
    );
    expect(answered.headers.get('x-ratelimit-reset-requests')).toMatch(/^\d+(ms|s|m\d+s)$/);
    await untilStatus(rig.gateways[0]!, tenant, 429);
    for (const api of ['chat', 'messages'] as const) {
      const refused = await ask(rig.gateways[0]!, tenant, api);
      expect([refused.status, refused.headers.get('x-ratelimit-remaining-requests'), refused.headers.get('x-should-retry')]).toEqual([
        429,
        '0',
        null,
      ]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      const { error } = (await refused.json()) as { error: object };
      if (api === 'chat') expect(error).toMatchObject({ type: 'requests', code: 'rate_limit_exceeded', param: null });
      else expect(error).toMatchObject({ type: 'rate_limit_error', details: { error_code: 'rate_limit_exceeded' } });
    }
  }, 120_000);

  it('of concurrent requests hold over all gateways', async () => {
    const tenant = await rig.tenant();
    await rig.limit(tenant, { concurrent_requests: 2 });
    const streams = [
      await open(rig.gateways[0]!, tenant, { tokens: 2, end: 'hold' }, 'chat'),
      await open(rig.gateways[1]!, tenant, { tokens: 2, end: 'hold' }, 'messages'),
    ];
    await untilStatus(rig.gateways[2]!, tenant, 429);
    streams[0]!.leave();
    await untilStatus(rig.gateways[2]!, tenant, 200);
    streams[1]!.leave();
  }, 120_000);

  it('of an account hold for its keys together', async () => {
    const tenant = await rig.tenant();
    await rig.command(SetKeyDeployments, { account: tenant.account, key: tenant.key.id, deployments: [2_000_000_000] });
    await untilStatus(rig.gateways[0]!, tenant, 404);
    await rig.command(SetKeyDeployments, { account: tenant.account, key: tenant.key.id, deployments: [tenant.deployment] });
    await untilStatus(rig.gateways[0]!, tenant, 200);
    const limits = { requests_per_minute: 1 };
    await rig.command(SetAccountLimits, { account: tenant.account, limits });
    expect((await rig.command(FindAccountLimits, { account: tenant.account })).limits).toEqual(limits);
    await untilStatus(rig.gateways[0]!, tenant, 429);
  }, 120_000);
});
