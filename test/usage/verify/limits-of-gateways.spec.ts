import { Incarnation, RecallLimitUse } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../../services/bus.js';
import { PatientRpc } from '../../services/patient-rpc.js';
import type { TestService } from '../../services/test-service.js';
import { until } from '../../testing/until.js';
import { ask } from '../limited-requests.js';
import { UsageRig } from '../usage-rig.js';

describe('limits of several gateways', () => {
  let rig: UsageRig;
  beforeAll(async () => {
    rig = await UsageRig.start(3);
  }, 240_000);
  afterAll(() => rig?.end(), 60_000);

  it('hold for three gateways together, within their delay', async () => {
    const tenant = await rig.tenant();
    const perMinute = 30;
    await rig.limit(tenant, { requests_per_minute: perMinute });
    const accepted: { sent: number; answered: number }[] = [];
    let slowest = 0;
    const begun = performance.now();
    for (let i = 0; i < 80; i += 1) {
      const sent = performance.now();
      const { status } = await ask(rig.gateways[i % 3]!, tenant);
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
    await rig.limit(tenant, { requests_per_minute: 12, tokens_per_minute: 100_000 });
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
});
