import { setTimeout as delay } from 'node:timers/promises';
import { type DeploymentId, FindDeployment } from '@slipway/contracts';
import { chatChunk, sseEvent } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { ClientStream } from '../client-answer.js';
import { ClientCrowd } from '../client-crowd.js';
import { ClientRig, type Tenant } from '../client-rig.js';

let rig: ClientRig;
let tenant: Tenant;
let deployment: DeploymentId;

beforeAll(async () => {
  rig = await ClientRig.start(['keys-service', 'deployments-service', ...Array<'inference-worker'>(3).fill('inference-worker'), 'gateway']);
  tenant = await rig.tenant();
  deployment = await rig.deployment(tenant.account, { slots: 4, replicas: { min: 1, max: 3, target_percent: 100 } });
  await rig.whenServed({ path: `deployment-${deployment}`, key: tenant.key.value });
  const { answer } = rig.upstream;
  // Long enough that twelve clients take twelve slots.
  rig.upstream.answer = (request) =>
    JSON.stringify(request.body).includes('crowd')
      ? { steps: [chatChunk({ content: 'first' }), { until: delay(500) }, chatChunk({}, 'stop'), sseEvent('[DONE]')] }
      : answer(request);
});
afterAll(() => rig?.end());

const replicas = async (): Promise<number> => (await rig.command(FindDeployment, { account: tenant.account, deployment })).running.length;

it('a deployment grows and shrinks without breaking streams', async () => {
  const call = { path: `deployment-${deployment}`, key: tenant.key.value };
  const crowd = new ClientCrowd({ ...call, text: 'crowd' }, 12, rig.gateways);
  await rig.whenSeen(tenant.account, deployment, { replicas: 3, ready_replicas: 3, state: 'ready' });
  await crowd.leave();

  // Two long streams on two replicas: the third one is the emptiest.
  const hold = rig.hold();
  const open = () => ClientStream.open({ ...call, gateway: rig.gateways[0]!, text: hold.text });
  const streams = [await open(), await open()];
  try {
    await Promise.all(streams.map((stream) => stream.whenSaid('first')));
    await rig.whenSeen(tenant.account, deployment, { replicas: 2 });
    await rig.whenSeen(tenant.account, deployment, { replicas: 1 });
    await until('one replica takes requests', async () => (await replicas()) === 1);
    expect(streams.map(({ text }) => text.includes('[DONE]'))).toEqual([false, false]);
  } finally {
    hold.release();
  }
  await Promise.all(streams.map((stream) => stream.whenOver()));
  expect(streams.map(({ text }) => text.includes('[DONE]'))).toEqual([true, true]);
  expect(crowd.broken).toEqual([]);
  expect(crowd.whole).toBeGreaterThan(24);
});
