import { join } from 'node:path';
import { type DeploymentId, FindDeployment, ListDeploymentEvents } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { ClientStream } from '../client-answer.js';
import { ClientCrowd } from '../client-crowd.js';
import { ClientRig, STOP_GRACE_MS, type Tenant } from '../client-rig.js';
import { MODELS, type ServiceProcess } from '../service-process.js';

/** Bounds a failure. */
const PATIENCE_MS = 120_000;

let rig: ClientRig<ServiceProcess>;
let services: ServiceProcess[];
let tenant: Tenant;
let deployment: DeploymentId;

beforeAll(async () => {
  rig = await ClientRig.startProcesses([
    'keys-service',
    'deployments-service',
    ...Array<'inference-worker'>(3).fill('inference-worker'),
    'gateway',
    'gateway',
  ]);
  services = [rig.process('deployments-service'), await rig.spawn('deployments-service').ready()];
  tenant = await rig.tenant();
  const source = { kind: 'file' as const, path: join(MODELS, 'svc-tiny.Q8_0.gguf') };
  const replicas = { min: 1, max: 3, target_percent: 100 };
  deployment = await rig.deployment(tenant.account, { source, slots: 2, context: 512, replicas });
  await rig.whenServed({ path: `deployment-${deployment}`, key: tenant.key.value });
}, PATIENCE_MS);
afterAll(() => rig?.end(), 60_000);

const placed = async (): Promise<number> =>
  (await rig.command(FindDeployment, { account: tenant.account, deployment })).running.filter(({ state }) => state === 'ready').length;

it('replicas follow the load through an election', async () => {
  const call = { path: `deployment-${deployment}`, key: tenant.key.value, text: 'Tell me about harbours.' };
  const crowd = new ClientCrowd(call, 16, rig.gateways);
  await rig.whenSeen(tenant.account, deployment, { replicas: 3, ready_replicas: 3, state: 'ready' });

  // The placer is killed: the next one begins with three, and takes none away under load.
  const placer = services.find((one) => one.logged('placement.scaled')) ?? services[0]!;
  const next = services.find((one) => one !== placer)!;
  await placer.stop('SIGKILL');
  await until('another one places', () => next.logged('placement.elected'), PATIENCE_MS);
  const before = crowd.whole;
  await until('the crowd is served on', () => crowd.whole > before + 100, PATIENCE_MS);
  expect(await placed()).toBe(3);
  await crowd.leave();
  expect(crowd.broken).toEqual([]);

  await rig.whenSeen(tenant.account, deployment, { replicas: 1 });
  await until('one replica takes requests', async () => (await placed()) === 1, PATIENCE_MS);
  const { events } = await rig.command(ListDeploymentEvents, { account: tenant.account, deployment });
  const scaled = events.filter(({ kind }) => kind === 'autoscale').toReversed();
  expect(scaled.map(({ facts }) => facts['replicas'])).toEqual([2, 3, 2, 1]);
}, 300_000);

it('a stream outlives the grace period where its replica leaves', async () => {
  const id = await rig.deployment(tenant.account, { slots: 2, replicas: { min: 1, max: 3, target_percent: 100 } });
  const call = { path: `deployment-${id}`, key: tenant.key.value };
  await rig.whenServed(call);
  const crowdHold = rig.hold();
  const open = (text: string) => ClientStream.open({ ...call, gateway: rig.gateways[0]!, text });
  // More than two slots are wanted as long as these go on.
  const many = await Promise.all([open(crowdHold.text), open(crowdHold.text)]);
  const waiting = new ClientCrowd({ ...call, text: 'ping' }, 6, rig.gateways);
  await rig.whenSeen(tenant.account, id, { replicas: 3, ready_replicas: 3 });
  await waiting.leave();
  const hold = rig.hold();
  const held = await Promise.all([open(hold.text), open(hold.text)]);
  try {
    await Promise.all(held.map((stream) => stream.whenSaid('first')));
    crowdHold.release();
    await Promise.all(many.map((stream) => stream.whenOver()));
    const from = performance.now();
    await until('replicas leave', async () => (await rig.view(tenant.account, id))!.replicas < 3, PATIENCE_MS);
    await until('longer than the grace period', () => performance.now() - from > STOP_GRACE_MS * 3, PATIENCE_MS);
  } finally {
    hold.release();
  }
  await Promise.all(held.map((stream) => stream.whenOver()));
  for (const stream of [...many, ...held]) expect(stream.text).toContain('[DONE]');
  expect(waiting.broken).toEqual([]);
}, 300_000);
