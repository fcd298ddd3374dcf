import {
  type AccountId,
  DeleteDeployment,
  type DeploymentId,
  FindDeployment,
  isServiceError,
  ResumeDeployment,
  ScaleDeployment,
  StopDeployment,
  UpdateDeployment,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import type { FakeAgent } from '../fake-agent.js';
import { anAccount, DeploymentsRig } from '../rig.js';

let postgres: TestPostgres;
let rig: DeploymentsRig;
let agents: FakeAgent[];
let account: AccountId;

// Two replicas in one queue group: calls that are made together run in both.
beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await DeploymentsRig.open(postgres);
  await Promise.all([rig.startReplica(), rig.startReplica()]);
  agents = [rig.startAgent(), rig.startAgent()];
  account = anAccount();
});
afterAll(async () => {
  await rig?.close();
  await postgres.stop();
});

async function aReady(): Promise<DeploymentId> {
  const id = await rig.create(account);
  await rig.published(id, 'ready');
  return id;
}
async function aStopped(): Promise<DeploymentId> {
  const id = await aReady();
  await rig.ask(StopDeployment, { account, deployment: id });
  await rig.seen(account, id, 'stopped');
  return id;
}
const codesOf = (results: readonly PromiseSettledResult<unknown>[]): string[] =>
  results.map((result) => {
    if (result.status === 'fulfilled') return 'ok';
    return isServiceError(result.reason) ? result.reason.code : String(result.reason);
  });
const gone = (id: DeploymentId): Promise<boolean> =>
  until('no gateway or agent has it any more', () => rig.gateway.deployment(id) === undefined && !agents.some((agent) => agent.runs(id)));

it('of concurrent deletions one succeeds', async () => {
  const deployment = await aStopped();
  await rig.pointAlias(account, 'doubled', deployment);
  const codes = codesOf(await Promise.allSettled(Array.from({ length: 8 }, () => rig.ask(DeleteDeployment, { account, deployment }))));
  expect(codes.toSorted()).toEqual([...Array.from({ length: 7 }, () => 'deployment_not_found'), 'ok']);
  await gone(deployment);
  await until('gateways forget its alias', () => rig.gateway.alias(account, 'doubled') === undefined);
});

it('concurrent updates make revisions one after another', async () => {
  const deployment = await aReady();
  const results = await Promise.all([
    rig.ask(UpdateDeployment, { account, deployment, slots: 7 }),
    rig.ask(UpdateDeployment, { account, deployment, threads: 3 }),
    rig.ask(UpdateDeployment, { account, deployment, context: 512 }),
    rig.ask(UpdateDeployment, { account, deployment, default_max_tokens: 9 }),
  ]);
  expect(results.map(({ rev }) => rev).toSorted((a, b) => a - b)).toEqual([2, 3, 4, 5]);
  await until('gateways use the last one', () => rig.gateway.deployment(deployment)?.rev === 5);
  await until('only the last one runs', () => agents.flatMap((agent) => agent.revisionsOf(deployment)).join() === '5');
  const { revisions } = await rig.ask(FindDeployment, { account, deployment });
  expect(revisions[0]).toMatchObject({ rev: 5, slots: 7, threads: 3, context: 512, default_max_tokens: 9 });
});

it('concurrent commands end in one consistent state', async () => {
  const deployment = await aReady();
  for (let round = 0; round < 5; round += 1) {
    const work = [
      rig.ask(StopDeployment, { account, deployment }),
      rig.ask(UpdateDeployment, { account, deployment, slots: 10 + round }),
      rig.ask(ResumeDeployment, { account, deployment }),
      rig.ask(ScaleDeployment, { account, deployment, replicas: 1 + (round % 2) }),
      rig.ask(StopDeployment, { account, deployment }),
      rig.ask(ResumeDeployment, { account, deployment }),
    ];
    expect(codesOf(await Promise.allSettled(work))).toEqual(work.map(() => 'ok'));
    const { desired } = await rig.view(account, deployment);
    await rig.seen(account, deployment, desired);
    expect(await rig.published(deployment, desired)).toMatchObject({ desired });
    const expected = desired === 'stopped' ? [] : Array.from({ length: 1 + (round % 2) }, () => round + 2);
    await until('agents run just that', () => agents.flatMap((agent) => agent.revisionsOf(deployment)).join() === expected.join());
  }
});

it('a concurrent deletion is complete or without effect', async () => {
  for (let round = 0; round < 8; round += 1) {
    const deployment = await aStopped();
    const [deleted] = codesOf(
      await Promise.allSettled([
        rig.ask(DeleteDeployment, { account, deployment }),
        rig.ask(ResumeDeployment, { account, deployment }),
        rig.ask(UpdateDeployment, { account, deployment, slots: 3 }),
      ]),
    );
    if (deleted === 'ok') await gone(deployment);
    else {
      expect(deleted).toBe('deployment_not_stopped');
      await rig.published(deployment, 'ready');
    }
  }
});

it('an alias survives its old target’s deletion', async () => {
  const other = await aReady();
  for (let round = 0; round < 12; round += 1) {
    const alias = `moving-${round}`;
    const deployment = await aStopped();
    await rig.pointAlias(account, alias, deployment);
    const results = await Promise.allSettled([
      rig.ask(DeleteDeployment, { account, deployment }),
      rig.pointAlias(account, alias, other),
      rig.pointAlias(account, alias, deployment),
      rig.pointAlias(account, alias, other),
    ]);
    const codes = codesOf(results);
    expect([codes[0], codes[1], codes[3]]).toEqual(['ok', 'ok', 'ok']);
    expect(['ok', 'deployment_not_found']).toContain(codes[2]);
    await gone(deployment);
    const [holder] = (await rig.list(account)).filter(({ aliases }) => aliases.includes(alias));
    // Pointed back to what was deleted after all, it went with it.
    await until('gateways agree with the list', () => rig.gateway.alias(account, alias) === holder?.id);
    expect([other, undefined]).toContain(holder?.id);
  }
});

it('deployments of two replicas have distinct ids', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => rig.create(account)));
  expect(new Set(ids).size).toBe(12);
  for (const id of ids) await rig.published(id, 'ready');
});
