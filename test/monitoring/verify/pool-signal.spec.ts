import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type DeploymentId, ListConnectedWorkers } from '@slipway/contracts';
import { chatChunk, sseEvent } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ClientStream } from '../../services/client-answer.js';
import { ClientCrowd } from '../../services/client-crowd.js';
import { ClientRig, type Tenant } from '../../services/client-rig.js';
import { until } from '../../testing/until.js';
import { Prometheus, prometheusPrograms } from '../prometheus.js';

const template = readFileSync(fileURLToPath(new URL('../../../deploy/chart/slipway/templates/workers.yaml', import.meta.url)), 'utf8');
/** The query of the chart's ScaledObject, for the pool of workers that name none. Nothing here gives scrapes a namespace. */
const QUERY = (/query: \{\{ printf "(.+?)" \$/.exec(template)?.[1] ?? '').replaceAll('namespace=%q, ', '').replaceAll('%q', '"default"');

/** So many that four streams of one conversation take both workers, and half of one. */
const SLOTS = 8;

let reason = '';
let rig: ClientRig | undefined;
let prometheus: Prometheus | undefined;
let tenant: Tenant;
let deployment: DeploymentId;

beforeAll(async () => {
  const programs = await prometheusPrograms();
  if (typeof programs === 'string') {
    reason = programs.slice(5);
    return;
  }
  const started = await ClientRig.start(['keys-service', 'deployments-service', 'inference-worker', 'gateway']);
  rig = started;
  tenant = await started.tenant();
  deployment = await started.deployment(tenant.account, { slots: SLOTS, replicas: { min: 1, max: 2, target_percent: 100 } });
  await started.whenServed({ path: `deployment-${deployment}`, key: tenant.key.value });
  const { answer } = started.upstream;
  started.upstream.answer = (request) =>
    JSON.stringify(request.body).includes('crowd')
      ? { steps: [chatChunk({ content: 'first' }), { until: delay(800) }, chatChunk({}, 'stop'), sseEvent('[DONE]')] }
      : answer(request);
  prometheus = new Prometheus(programs.prometheus, '', 1_000);
  await prometheus.start((['deployments-service', 'gateway'] as const).map((app) => started.process(app).port('ops.listening') ?? 0));
}, 300_000);
afterAll(async () => {
  await prometheus?.stop();
  await rig?.end();
});

const value = async (expression: string): Promise<number | undefined> => (await prometheus?.query(expression))?.[0]?.value;
it('the chart asks for a worker while load waits', async (context) => {
  if (!rig) return context.skip(reason);
  const call = { path: `deployment-${deployment}`, key: tenant.key.value };
  await until('one worker is enough', async () => (await value(QUERY)) === 1);

  // Twice the slots: promised are requests in queues within 5 s, and one worker more within 30 s.
  const crowd = new ClientCrowd({ ...call, text: 'crowd' }, 2 * SLOTS, rig.gateways);
  await until('requests wait', async () => ((await value('sum(slipway_deployment_waiting)')) ?? 0) > 0, 5_000, 100);
  await until('a second worker is wanted', async () => (await value(QUERY)) === 2, 30_000, 100);

  rig.spawn('inference-worker');
  await rig.whenSeen(tenant.account, deployment, { replicas: 2, ready_replicas: 2 });
  await until('nothing is missing', async () => (await value('sum(slipway_placement_unplaced_replicas)')) === 0);
  expect(await value(QUERY)).toBe(2);
  await crowd.leave();
  expect(crowd.broken).toEqual([]);

  // The load ends, but for streams on both workers: the one whose replica leaves is needed until its streams are over.
  const hold = rig.hold();
  const streams = Array.from({ length: 4 }, () => ClientStream.open({ ...call, gateway: rig!.gateways[0]!, text: hold.text }));
  const opened = await Promise.all(streams);
  try {
    await Promise.all(opened.map((stream) => stream.whenSaid('first')));
    await rig.whenSeen(tenant.account, deployment, { replicas: 1 });
    await until('gateways send nothing to it', async () => (await value('sum(slipway_deployment_replicas{state="ready"})')) === 1);
    const { workers } = await rig.command(ListConnectedWorkers, {});
    expect(workers.map(({ loads }) => loads)).toEqual([1, 1]);
    expect(await value(QUERY)).toBe(2);
  } finally {
    hold.release();
  }
  await Promise.all(opened.map((stream) => stream.whenOver()));
  await until('one worker is enough again', async () => (await value(QUERY)) === 1);
}, 240_000);
