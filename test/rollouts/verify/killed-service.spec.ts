import { deploymentSlug, RollBackRollout, StartRollout } from '@slipway/contracts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServiceProcess } from '../../services/service-process.js';
import { until } from '../../testing/until.js';
import { UsageRig } from '../../usage/usage-rig.js';
import { failures, RolloutRig } from '../rollout-rig.js';

let rig: RolloutRig<ServiceProcess>;

beforeAll(async () => {
  rig = await RolloutRig.of(await UsageRig.startProcesses(2, { ROLLOUT_CHECK_MS: '200' }));
}, 180_000);
afterAll(() => rig?.end(), 60_000);

/** Kills a service and starts it again. */
async function killed(app: 'deployments-service' | 'keys-service'): Promise<void> {
  const [process] = rig.services.processes(app);
  await process!.stop('SIGKILL');
  await rig.services.restart(process!).ready();
}

it('a rollout goes on after each death of its service', async () => {
  const candidate = await rig.candidate('good');
  const slug = deploymentSlug(candidate);
  rig.load();
  await rig.services.command(StartRollout, { ...rig.named, candidate, steps: [30, 60], minutes: 0.05, guard: { requests: 20 } });
  await rig.answered(slug, 5);
  await killed('deployments-service');
  await until('the second step is taken', async () => (await rig.rollout()).at_step === 1, 60_000);
  await killed('deployments-service');
  await killed('keys-service');
  await until('the candidate is promoted', async () => (await rig.rollout()).state === 'promoted', 60_000);
  await rig.answered(slug, 60);
  await killed('deployments-service');
  await rig.services.command(RollBackRollout, rig.named);
  await until('all requests reach stable', () => rig.sent.slice(-60).every(({ side }) => side === rig.stable), 60_000);
  await rig.rest();
  expect(failures(rig.sent)).toEqual([]);
}, 300_000);
