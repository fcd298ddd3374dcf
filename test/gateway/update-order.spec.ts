import { afterEach, beforeEach, expect, it } from 'vitest';
import { startService, type RunningService } from '@slipway/platform/service';
import { gatewayService } from '../../apps/gateway/src/gateway-service.js';
import { ENV, GatewayRig, PEPPERS, until } from './gateway-rig.js';

let rig: GatewayRig;
let gateway: RunningService | undefined;
beforeEach(async () => {
  rig = await GatewayRig.start();
});
afterEach(async () => {
  await gateway?.stop(1_000);
  await rig.end();
});

const startGateway = (): Promise<RunningService> =>
  startService(gatewayService, {
    SLIPWAY_ENV: ENV,
    NATS_URL: rig.server.url,
    KEY_PEPPERS: PEPPERS,
    PORT: 0,
    PUBLIC_BASE_URL: 'http://gw.test',
  });

it('a new gateway waits for keys-service, and names it', async () => {
  rig.keys.isOld = true;
  gateway = await startGateway();
  const says = async (): Promise<string> => (await fetch(`http://127.0.0.1:${gateway?.opsPort}/readyz`)).text();
  await until('/readyz names keys-service', async () => (await says()).startsWith('keys-service runs an older release'));
  expect(await says()).toMatch(/this gateway is \d+\.\d+\.\d+\S* and needs it updated first/);
});

it('a gateway that serves outlives an older keys-service', async () => {
  gateway = await startGateway();
  await until('the gateway is ready', () => gateway?.notReady() === null);
  rig.keys.isOld = true;
  const asked = rig.keys.questions;
  await until('keys-service answered as an older one', () => rig.keys.questions > asked + 1);
  expect(gateway.notReady()).toBeNull();
});
