import {
  FindAccountLimits,
  Incarnation,
  type Limits,
  RecallLimitUse,
  SetAccountLimits,
  SetKeyDeployments,
  SetKeyLimits,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import type { z } from 'zod';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import { PatientRpc } from '../services/patient-rpc.js';
import { until } from '../testing/until.js';
import type { TestService } from '../services/test-service.js';
import { ask, untilStatus } from './limited-requests.js';
import { open, type Tenant, UsageRig } from './usage-rig.js';

describe('limits', () => {
  let rig: UsageRig;
  beforeAll(async () => {
    rig = await UsageRig.start(3);
  }, 240_000);
  afterAll(() => rig?.end(), 60_000);

  const gateways = (): string[] => rig.processes('gateway').map((gateway) => rig.addressOf(gateway));
  const limit = (tenant: Tenant, limits: z.input<typeof Limits>): Promise<unknown> =>
    rig.command(SetKeyLimits, { account: tenant.account, key: tenant.key.id, limits });

  it('are stated in headers of answers and refusals', async () => {
    const tenant = await rig.tenant();
    await limit(tenant, { requests_per_minute: 2, tokens_per_minute: 1_000 });
    const answered = await ask(gateways()[0]!, tenant);
    expect([answered.status, answered.headers.get('x-ratelimit-limit-requests'), answered.headers.get('x-ratelimit-limit-tokens')]).toEqual(
      [200, '2', '1000'],
    );
    expect(answered.headers.get('x-ratelimit-reset-requests')).toMatch(/^\d+(ms|s|m\d+s)$/);
    await untilStatus(gateways()[0]!, tenant, 429);
    for (const api of ['chat', 'messages'] as const) {
      const refused = await ask(gateways()[0]!, tenant, api);
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

  it('hold for three gateways together, within their delay', async () => {
    const tenant = await rig.tenant();
    const perMinute = 30;
    await limit(tenant, { requests_per_minute: perMinute });
    const accepted: { sent: number; answered: number }[] = [];
    let slowest = 0;
    const begun = performance.now();
    for (let i = 0; i < 80; i += 1) {
      const sent = performance.now();
      const { status } = await ask(gateways()[i % 3]!, tenant);
      const answered = performance.now();
      slowest = Math.max(slowest, answered - sent);
      if (status === 200) accepted.push({ sent, answered });
      else expect(status).toBe(429);
      // A steady load of ten requests per second.
      await new Promise((resolve) => setTimeout(resolve, begun + (i + 1) * 100 - answered));
    }
    expect(accepted.length).toBeGreaterThanOrEqual(perMinute);
    // Requests that were answered this long ago count at every gateway: 20 ms, and the delay of a message on a busy machine.
    const delay = 20 + 2 * slowest;
    for (const { sent, answered } of accepted) {
      const counted = accepted.filter((other) => other.answered <= sent - delay).length;
      expect(counted).toBeLessThan(perMinute * (1 + (answered - begun) / 60_000));
    }
  }, 120_000);

  it('survive the restart of a gateway, without double counting', async () => {
    const tenant = await rig.tenant();
    const doomed = await rig.spawnProcess('gateway').ready();
    await rig.whenServed(tenant, doomed);
    await limit(tenant, { requests_per_minute: 12, tokens_per_minute: 100_000 });
    const begun = performance.now();
    let accepted = 0;
    const counted = async (gateway: TestService): Promise<Response> => {
      const response = await ask(rig.addressOf(gateway), tenant);
      if (response.status === 200) accepted += 1;
      return response;
    };
    for (let i = 0; i < 10; i += 1) expect((await counted(doomed)).status).toBe(200);
    // A gateway reports its requests within a second; unreported ones would be lost with it.
    const other = rig.processes('gateway')[1]!;
    // What it accepts until the report has come is beyond the limit.
    let unaware = 0;
    await until('another gateway has the report', async () => {
      const isAware = Number((await counted(other)).headers.get('x-ratelimit-remaining-requests')) <= 1;
      if (!isAware) unaware += 1;
      return isAware;
    });
    await doomed.stop('SIGKILL');
    const drained = (): number => ((performance.now() - begun) / 60_000) * 12;
    // What the new gateway will be told. That of the last request is on its way for 20 ms and more.
    const asGateway = new PatientRpc(new RpcClient(await rig.bus.connect('gateway'), ENV));
    await until('keys-service has the report of all', async () => {
      const { holders } = await asGateway.ask(RecallLimitUse, { gw: Incarnation.parse('fresh') });
      const taken = holders.find(({ kind, id }) => kind === 'key' && id === tenant.key.id)?.requests_taken ?? 0;
      return taken + drained() >= accepted;
    });
    const fresh = await rig.spawn('gateway').ready();
    await until('the new gateway knows the limits', async () => (await counted(fresh)).headers.has('x-ratelimit-limit-requests'));
    for (let i = 0; i < 12; i += 1) await counted(fresh);
    expect(accepted).toBeLessThanOrEqual(12 + unaware + drained());
    expect(accepted).toBeGreaterThanOrEqual(12);
  }, 120_000);

  it('of concurrent requests hold over all gateways', async () => {
    const tenant = await rig.tenant();
    await limit(tenant, { concurrent_requests: 2 });
    const streams = [
      await open(gateways()[0]!, tenant, { tokens: 2, end: 'hold' }, 'chat'),
      await open(gateways()[1]!, tenant, { tokens: 2, end: 'hold' }, 'messages'),
    ];
    await untilStatus(gateways()[2]!, tenant, 429);
    streams[0]!.leave();
    await untilStatus(gateways()[2]!, tenant, 200);
    streams[1]!.leave();
  }, 120_000);

  it('of an account hold for its keys together', async () => {
    const tenant = await rig.tenant();
    await rig.command(SetKeyDeployments, { account: tenant.account, key: tenant.key.id, deployments: [2_000_000_000] });
    await untilStatus(gateways()[0]!, tenant, 404);
    await rig.command(SetKeyDeployments, { account: tenant.account, key: tenant.key.id, deployments: [tenant.deployment] });
    await untilStatus(gateways()[0]!, tenant, 200);
    const limits = { requests_per_minute: 1 };
    await rig.command(SetAccountLimits, { account: tenant.account, limits });
    expect((await rig.command(FindAccountLimits, { account: tenant.account })).limits).toEqual(limits);
    await untilStatus(gateways()[0]!, tenant, 429);
  }, 120_000);
});
