import {
  type AccountId,
  DeleteDeployment,
  type DeploymentId,
  ListAliases,
  ListDeploymentAudit,
  PointAlias,
  RemoveAlias,
  ResumeDeployment,
  ScaleDeployment,
  StopDeployment,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { becomes, type FakeAgent } from './fake-agent.js';
import { anAccount, DeploymentsRig } from './rig.js';

let postgres: TestPostgres;
let rig: DeploymentsRig;
let agents: FakeAgent[];

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await DeploymentsRig.open(postgres);
  await rig.startReplica();
  agents = [rig.startAgent(), rig.startAgent()];
});
afterAll(async () => {
  await rig?.close();
  await postgres.stop();
});

async function aReady(account: AccountId, changes: object = {}): Promise<DeploymentId> {
  const id = await rig.create(account, changes);
  await rig.published(id, 'ready');
  return id;
}
const holders = (id: DeploymentId): FakeAgent[] => agents.filter((agent) => agent.runs(id));

describe('a stopped deployment', () => {
  it('is refused, drained and ready after resume', async () => {
    const account = anAccount();
    const deployment = await aReady(account);
    const [agent] = holders(deployment);
    agent!.drains = true;
    expect(await rig.ask(StopDeployment, { account, deployment })).toEqual({ deployment, state: 'stopping' });
    expect(await rig.published(deployment, 'stopping')).toMatchObject({ desired: 'stopped' });
    await until('its agent lets it go', () => !agent!.runs(deployment));
    expect(agent!.assignments.at(-1)?.stopped).toEqual([deployment]);
    expect(await rig.ask(StopDeployment, { account, deployment })).toEqual({ deployment, state: 'stopping' });

    agent!.finish();
    expect(await rig.published(deployment, 'stopped')).toMatchObject({ desired: 'stopped' });
    expect(await rig.view(account, deployment)).toMatchObject({ desired: 'stopped', state: 'stopped', ready_replicas: 0 });

    expect(await rig.ask(ResumeDeployment, { account, deployment })).toEqual({ deployment, state: 'pending' });
    expect(await rig.published(deployment, 'ready')).toMatchObject({ desired: 'ready' });
    expect(await rig.ask(ResumeDeployment, { account, deployment })).toEqual({ deployment, state: 'ready' });
  });

  it('is retried afresh when resumed after a failure', async () => {
    const account = anAccount();
    for (const agent of agents) agent.react = becomes({ state: 'failed', reason: 'engine_refused' });
    const deployment = await rig.create(account);
    await rig.seen(account, deployment, 'failed', 'engine_refused');
    for (const agent of agents) agent.react = becomes({ state: 'ready' });
    await rig.ask(StopDeployment, { account, deployment });
    expect(await rig.seen(account, deployment, 'stopped')).toMatchObject({ detail: null });
    await rig.ask(ResumeDeployment, { account, deployment });
    await rig.published(deployment, 'ready');
  });
});

describe('a failed deployment', () => {
  it('is retried at once when resumed', async () => {
    const account = anAccount();
    for (const agent of agents) agent.react = becomes({ state: 'failed', reason: 'engine_refused' });
    const deployment = await rig.create(account);
    const starts = (): number => agents.reduce((sum, agent) => sum + (agent.starts.get(deployment) ?? 0), 0);
    // The pause after the third failure is eight seconds.
    await until('it failed three times', () => starts() === 3);
    await rig.seen(account, deployment, 'failed', 'engine_refused');
    for (const agent of agents) agent.react = becomes({ state: 'ready' });
    expect(await rig.ask(ResumeDeployment, { account, deployment })).toEqual({ deployment, state: 'pending' });
    expect(await rig.published(deployment, 'ready')).toMatchObject({ desired: 'ready' });
    expect(starts()).toBe(4);
    const view = await rig.seen(account, deployment, 'ready');
    expect(view).toMatchObject({ rev: 1, reason: null, detail: null, slots: 4 });
    expect(Math.abs(Date.parse(view.created_at ?? '') - Date.now())).toBeLessThan(600_000);
    const { entries } = await rig.ask(ListDeploymentAudit, { account });
    expect(entries.map(({ action }) => action)).toEqual(['deployment.retry', 'deployment.create']);
  });
});

it('scaling does not restart remaining replicas', async () => {
  const account = anAccount();
  const deployment = await aReady(account);
  const [first] = holders(deployment);
  expect(await rig.ask(ScaleDeployment, { account, deployment, replicas: 2 })).toEqual({ deployment, replicas: 2, replica_range: null });
  await until('two replicas are ready', async () => (await rig.view(account, deployment)).ready_replicas === 2);
  expect(holders(deployment)).toHaveLength(2);

  await rig.ask(ScaleDeployment, { account, deployment, replicas: 1 });
  await until('one is taken back', () => holders(deployment).length === 1);
  expect(await rig.seen(account, deployment, 'ready')).toMatchObject({ replicas: 1 });
  expect(first!.starts.get(deployment)).toBe(1);
});

describe('a deleted deployment', () => {
  it('loses its aliases and never returns its id', async () => {
    const account = anAccount();
    const [deployment, other] = [await aReady(account), await aReady(account)];
    await rig.pointAlias(account, 'main', deployment);
    await rig.pointAlias(account, 'beta', deployment);
    await rig.pointAlias(account, 'stays', other);
    await expect(rig.ask(DeleteDeployment, { account, deployment })).rejects.toMatchObject({ code: 'deployment_not_stopped' });
    expect((await rig.view(account, deployment)).aliases).toEqual(['beta', 'main']);

    await rig.ask(StopDeployment, { account, deployment });
    await rig.seen(account, deployment, 'stopped');
    expect(await rig.ask(DeleteDeployment, { account, deployment })).toEqual({ deployment, aliases: ['beta', 'main'] });
    await until('gateways forget it', () => rig.gateway.deployment(deployment) === undefined);
    await until('gateways forget its aliases', () => rig.gateway.alias(account, 'main') === undefined);
    expect(rig.gateway.alias(account, 'stays')).toBe(other);
    expect((await rig.list(account)).map(({ id }) => id)).toEqual([other]);
    await expect(rig.ask(DeleteDeployment, { account, deployment })).rejects.toMatchObject({ code: 'deployment_not_found' });

    // The name is free again, and the removal in the feed does not outlive the new alias.
    await rig.pointAlias(account, 'main', other);
    await until('gateways know the new alias', () => rig.gateway.alias(account, 'main') === other);
    expect(await rig.create(account)).toBeGreaterThan(deployment);
  });

  it('may have failed before', async () => {
    const account = anAccount();
    for (const agent of agents) agent.react = becomes({ state: 'failed', reason: 'engine_refused' });
    const deployment = await rig.create(account);
    await rig.seen(account, deployment, 'failed', 'engine_refused');
    for (const agent of agents) agent.react = becomes({ state: 'ready' });
    expect(await rig.ask(DeleteDeployment, { account, deployment })).toEqual({ deployment, aliases: [] });
    await until('gateways forget it', () => rig.gateway.deployment(deployment) === undefined);
    await until('no agent has it', () => holders(deployment).length === 0);
  });

  it('cannot get an alias at the same time', async () => {
    const account = anAccount();
    const deployment = await aReady(account);
    await rig.ask(StopDeployment, { account, deployment });
    await rig.seen(account, deployment, 'stopped');
    const [deleted] = await Promise.allSettled([
      rig.ask(DeleteDeployment, { account, deployment }),
      ...['a', 'b', 'c', 'd'].map((alias) => rig.pointAlias(account, alias, deployment)),
    ]);
    expect(deleted).toMatchObject({ status: 'fulfilled' });
    await until('gateways know nothing of it', () =>
      ['a', 'b', 'c', 'd'].every((alias) => rig.gateway.alias(account, alias) === undefined),
    );
    expect(await rig.list(account)).toEqual([]);
  });
});

it('of two concurrent alias moves one succeeds', async () => {
  const account = anAccount();
  const [old, one, two] = [await rig.create(account), await rig.create(account), await rig.create(account)];
  await rig.pointAlias(account, 'main', old);
  const take = (deployment: DeploymentId, from: DeploymentId | null, alias = 'main'): Promise<string> =>
    rig.ask(PointAlias, { account, alias, deployment, from }).then(
      () => 'taken',
      (error: unknown) => (error as { code: string }).code,
    );
  const outcomes = async (...attempts: Promise<string>[]): Promise<string> => (await Promise.all(attempts)).toSorted().join(' ');
  expect(await outcomes(take(one, old), take(two, old))).toBe('alias_taken taken');
  expect(await outcomes(take(one, null, 'new'), take(two, null, 'new'))).toBe('alias_taken taken');
  const { aliases } = await rig.ask(ListAliases, { account });
  const owner = aliases.find(({ alias }) => alias === 'main')?.deployment;
  expect([one, two]).toContain(owner);
  // Who finds it where he wants it has what he wants, wherever he thought that it was.
  expect(await take(owner!, null)).toBe('taken');
  await expect(rig.ask(PointAlias, { account, alias: 'main', deployment: old, from: old })).rejects.toMatchObject({
    code: 'alias_taken',
    param: 'alias',
    message: expect.stringContaining(`deployment-${owner}`) as string,
  });
});

it('removing an alias affects only its account', async () => {
  const [account, other] = [anAccount(), anAccount()];
  const [own, foreign] = [await aReady(account), await aReady(other)];
  await rig.pointAlias(account, 'main', own);
  await rig.pointAlias(other, 'main', foreign);
  await until('gateways know both', () => rig.gateway.alias(account, 'main') && rig.gateway.alias(other, 'main'));
  expect(await rig.ask(RemoveAlias, { account, alias: 'main' })).toEqual({ alias: 'main', removed: true });
  expect(await rig.ask(RemoveAlias, { account, alias: 'main' })).toEqual({ alias: 'main', removed: false });
  await until('gateways forget it', () => rig.gateway.alias(account, 'main') === undefined);
  expect(rig.gateway.alias(other, 'main')).toBe(foreign);
});

it('another account cannot change or discover a deployment', async () => {
  const [owner, account] = [anAccount(), anAccount()];
  const deployment = await aReady(owner);
  const unusedId = 2_000_000_000 as DeploymentId;
  const refusalsOf = (id: DeploymentId): Promise<unknown[]> =>
    Promise.all(
      [
        rig.ask(StopDeployment, { account, deployment: id }),
        rig.ask(ResumeDeployment, { account, deployment: id }),
        rig.ask(ScaleDeployment, { account, deployment: id, replicas: 2 }),
        rig.ask(DeleteDeployment, { account, deployment: id }),
      ].map((asked) => asked.catch((error: unknown) => ({ ...(error as object), message: String(error) }))),
    );
  const refusals = await refusalsOf(deployment);
  for (const refusal of refusals) expect(refusal).toMatchObject({ code: 'deployment_not_found' });
  expect(refusals).toEqual(await refusalsOf(unusedId));
  expect(await rig.view(owner, deployment)).toMatchObject({ desired: 'ready', state: 'ready', replicas: 1 });
});
