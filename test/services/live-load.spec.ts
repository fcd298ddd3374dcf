import { type AccountId, type DeploymentId, type DeploymentLoad, ListDeploymentLoads } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { ask } from './client-answer.js';
import { ClientRig, type Tenant } from './client-rig.js';

let rig: ClientRig;
let tenant: Tenant;
let deployment: DeploymentId;

beforeAll(async () => {
  rig = await ClientRig.start(['keys-service', 'deployments-service', 'inference-worker', 'gateway', 'gateway']);
  tenant = await rig.tenant();
  deployment = await rig.deployment(tenant.account, { slots: 2, replicas: 1 });
  await rig.whenServed({ path: `deployment-${deployment}`, key: tenant.key.value });
});
afterAll(() => rig?.end());

const loadsOf = async (account: AccountId): Promise<DeploymentLoad[]> => (await rig.command(ListDeploymentLoads, { account })).loads;
const loadWith = (wanted: Partial<DeploymentLoad>): Promise<DeploymentLoad> =>
  until(`the load is ${JSON.stringify(wanted)}`, async () => {
    const [load] = await loadsOf(tenant.account);
    return load && Object.entries(wanted).every(([name, value]) => load[name as keyof DeploymentLoad] === value) && load;
  });

it('an account sees its requests at all gateways', async () => {
  const idle = await loadWith({ in_flight: 0, queued: 0, gateways: 0 });
  expect(idle).toMatchObject({ deployment, slots: 2 });
  const hold = rig.hold();
  const path = `deployment-${deployment}`;
  const asked = rig.gateways.map((gateway) => ask({ gateway, path, key: tenant.key.value, text: hold.text }));
  try {
    const busy = await loadWith({ in_flight: 2, queued: 0, gateways: 2 });
    expect(Date.parse(busy.as_of)).toBeGreaterThan(Date.now() - 10_000);
    expect(await loadsOf((await rig.tenant()).account)).toEqual([]);
  } finally {
    hold.release();
  }
  await Promise.all(asked);
  await loadWith({ in_flight: 0, queued: 0, gateways: 0 });
});
