import { type AccountId, type DeploymentId, type DeploymentLoad, ListDeploymentLoads, ReadLog } from '@slipway/contracts';
import { jsonAnswer } from '@slipway/testing';
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
  // Gateways may serve a replica before its state is in the database.
  const idle = await loadWith({ slots: 2, in_flight: 0, queued: 0, gateways: 0 });
  expect(idle.deployment).toBe(deployment);
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

it('a failed request is found in the log by its id', async () => {
  const { answer } = rig.upstream;
  rig.upstream.answer = (request) =>
    JSON.stringify(request.body).includes('please fail') ? jsonAnswer(400, { error: { message: 'no' } }) : answer(request);
  const path = `deployment-${deployment}`;
  const { status, headers } = await ask({ gateway: rig.gateways[0]!, path, key: tenant.key.value, text: 'please fail' });
  expect(status).toBeGreaterThanOrEqual(400);
  const search = headers['x-request-id']!;
  const found = await until('the line is there', async () => {
    const { lines } = await rig.command(ReadLog, { account: tenant.account, deployment, search });
    return lines.length > 0 && lines;
  });
  for (const line of found) expect(line).toMatchObject({ request: search, agent: expect.any(String) as string });
  expect(found.map(({ text }) => text).join(' ')).toContain('outcome=failed');
  expect(JSON.stringify(found)).not.toContain('please fail');
});
