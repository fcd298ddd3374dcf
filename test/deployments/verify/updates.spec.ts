import {
  type AccountId,
  type DeploymentId,
  FindDeployment,
  ListDeployments,
  ResumeDeployment,
  ScaleDeployment,
  StopDeployment,
  UpdateDeployment,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import { becomes, type FakeAgent, keepsLoading, LARGE_CONTEXT, type Reaction } from '../fake-agent.js';
import { anAccount, DeploymentsRig, ENGINE_HOST, MODEL } from '../rig.js';

let postgres: TestPostgres;
let rig: DeploymentsRig;
let account: AccountId;

beforeAll(async () => {
  postgres = await startTestPostgres();
});
afterAll(() => postgres?.stop());
beforeEach(async () => {
  rig = await DeploymentsRig.open(postgres);
  account = anAccount();
});
afterEach(() => rig.close());

/** What is new to the agent depends on its revision. */
const byRevision =
  (reactions: Readonly<Record<number, Reaction>>): Reaction =>
  (item) =>
    (reactions[item.rev] ?? becomes({ state: 'ready', context: 2_048, caps: ['tools'] }))(item);
const revisions = (id: DeploymentId, agents: readonly FakeAgent[]): number[][] => agents.map((agent) => agent.revisionsOf(id));
const update = (deployment: DeploymentId, changes: object) => rig.ask(UpdateDeployment, { account, deployment, ...changes });
const publishedRevision = (id: DeploymentId, rev: number): Promise<boolean> =>
  until(`gateways use revision ${rev}`, () => rig.gateway.deployment(id)?.rev === rev);

async function aReady(changes: object = {}): Promise<DeploymentId> {
  const id = await rig.create(account, changes);
  await rig.published(id, 'ready');
  return id;
}

describe('an update', () => {
  it('starts the new revision beside the serving one', async () => {
    await rig.startReplica();
    const agent = rig.startAgent({ react: byRevision({ 2: keepsLoading }) });
    const id = await aReady({ context: 512, default_max_tokens: 7 });

    expect(await update(id, { context: 1_024, slots: 2, threads: 3 })).toEqual({ deployment: id, rev: 2, changed: true, state: 'ready' });
    await until('both run', () => agent.revisionsOf(id).length === 2);
    expect(agent.items.find(({ rev }) => rev === 2)).toMatchObject({ context: 1_024, slots: 2, threads: 3, default_max_tokens: 7 });
    await until('the progress shows', async () => (await rig.view(account, id)).progress === 0.25);
    expect(await rig.view(account, id)).toMatchObject({ state: 'ready', reason: null, rev: 2, serving_rev: 1, ready_replicas: 1 });
    expect(rig.gateway.deployment(id)).toMatchObject({ state: 'ready', rev: 1, context: 2_048 });

    agent.say(id, { state: 'ready', progress: null, context: 1_024, caps: [] }, 2);
    await publishedRevision(id, 2);
    // Requests that gateways sent a moment ago still find the old one.
    expect(agent.revisionsOf(id)).toEqual([1, 2]);
    await until('the old one is unloaded', () => agent.revisionsOf(id).length === 1);
    expect(agent.revisionsOf(id)).toEqual([2]);
    expect(rig.gateway.deployment(id)).toMatchObject({ state: 'ready', rev: 2, context: 1_024, caps: [] });
    const seen = rig.gateway.states.get(id)!;
    expect(seen.slice(seen.indexOf('ready'))).toEqual(['ready']);
    expect(await rig.view(account, id)).toMatchObject({ state: 'ready', serving_rev: 2, progress: null });
  });

  it('that fails leaves the old revision serving', async () => {
    await rig.startReplica();
    const agent = rig.startAgent({
      react: byRevision({ 2: becomes({ state: 'failed', reason: 'model_invalid', detail: 'This is no GGUF file.' }) }),
    });
    const id = await aReady();
    await update(id, { context: 4_096 });
    expect(await rig.seen(account, id, 'degraded', 'model_invalid')).toMatchObject({
      detail: 'Revision 2 cannot take over, revision 1 serves. This is no GGUF file.',
      ...{ rev: 2, serving_rev: 1, replicas: 1, ready_replicas: 1 },
    });
    expect(await rig.published(id, 'degraded')).toMatchObject({ rev: 1 });
    expect(agent.revisionsOf(id)).toContain(1);

    expect(await update(id, { context: 512 })).toMatchObject({ rev: 3, changed: true });
    await publishedRevision(id, 3);
    await until('only the repaired one stays', () => agent.revisionsOf(id).join() === '3');
    expect(await rig.seen(account, id, 'ready')).toMatchObject({ serving_rev: 3, detail: null });
    // The revision that failed never served, so the feed never had it.
    expect(agent.assignments.some(({ items }) => items.some(({ rev }) => rev === 3) && items.some(({ rev }) => rev === 2))).toBe(false);
  });

  it('without memory for both waits and says so', async () => {
    await rig.startReplica();
    const agent = rig.startAgent({ holds: 1 });
    const id = await aReady({ context: LARGE_CONTEXT, slots: 1 });
    await update(id, { default_max_tokens: 5 });
    expect(await rig.seen(account, id, 'degraded', 'no_capacity')).toMatchObject({ serving_rev: 1, ready_replicas: 1 });
    expect((await rig.view(account, id)).detail).toMatch(/^Revision 2 cannot take over, revision 1 serves\. A replica needs/);
    expect(agent.revisionsOf(id)).toEqual([1]);
    expect(await rig.published(id, 'degraded')).toMatchObject({ rev: 1 });

    const other = rig.startAgent();
    await publishedRevision(id, 2);
    await until('it has moved', () => agent.revisionsOf(id).length === 0);
    expect(other.revisionsOf(id)).toEqual([2]);
    await rig.published(id, 'ready');
  });

  it('with little memory goes replica by replica', async () => {
    await rig.startReplica();
    const agents = [1, 2, 3].map(() => rig.startAgent({ holds: 1 }));
    const id = await aReady({ context: LARGE_CONTEXT, slots: 1, replicas: 2 });
    await until('both replicas are ready', async () => (await rig.view(account, id)).ready_replicas === 2);
    await update(id, { default_max_tokens: 5 });
    await until('the new one runs on two agents alone', () => revisions(id, agents).flat().join() === '2,2');
    await until('it is ready', async () => {
      const view = await rig.view(account, id);
      return view.state === 'ready' && view.serving_rev === 2 && view.ready_replicas === 2;
    });
    const seen = rig.gateway.states.get(id)!;
    const answering = seen.slice(seen.findIndex((state) => state === 'ready' || state === 'degraded'));
    expect(answering.filter((state) => state !== 'ready' && state !== 'degraded')).toEqual([]);
  });

  it('of a stopped deployment applies at resume', async () => {
    await rig.startReplica();
    const agent = rig.startAgent({ react: byRevision({ 3: keepsLoading }) });
    const id = await aReady();
    await rig.ask(StopDeployment, { account, deployment: id });
    await rig.seen(account, id, 'stopped');
    expect(await update(id, { slots: 1 })).toMatchObject({ rev: 2, state: 'stopped' });
    expect(agent.runs(id)).toBe(false);
    await rig.ask(ResumeDeployment, { account, deployment: id });
    await publishedRevision(id, 2);
    await rig.published(id, 'ready');

    await update(id, { slots: 2 });
    await until('the third loads beside', () => agent.revisionsOf(id).join() === '2,3');
    await rig.ask(StopDeployment, { account, deployment: id });
    await rig.seen(account, id, 'stopped');
    await rig.ask(ResumeDeployment, { account, deployment: id });
    expect(await rig.seen(account, id, 'loading')).toMatchObject({ rev: 3, serving_rev: null });
    expect(agent.revisionsOf(id)).toEqual([3]);
  });

  it('of a failed deployment is tried at once', async () => {
    await rig.startReplica();
    rig.startAgent({ react: byRevision({ 1: becomes({ state: 'failed', reason: 'model_invalid' }) }) });
    const id = await rig.create(account);
    await rig.seen(account, id, 'failed', 'model_invalid');
    expect(await update(id, { context: 512 })).toMatchObject({ rev: 2, state: 'pending' });
    await rig.published(id, 'ready');
  });

  it('continues under a new placer', async () => {
    const first = await rig.startProcess();
    const agent = rig.startAgent({ react: byRevision({ 2: keepsLoading }) });
    const id = await aReady();
    await update(id, { context: 512 });
    await until('both run', () => agent.revisionsOf(id).length === 2);
    first.signal('SIGKILL');
    await first.exited;
    const before = agent.assignments.length;
    await rig.startReplica();
    await until('the new placer sends an assignment', () => agent.assignments.length > before);
    agent.say(id, { state: 'ready' }, 2);
    await publishedRevision(id, 2);
    await until('the old one is unloaded', () => agent.revisionsOf(id).join() === '2');
    expect(agent.starts.get(id)).toBe(2);
  });

  it('restores a lost old revision first', async () => {
    await rig.startReplica();
    const lost = rig.startAgent({ react: byRevision({ 2: keepsLoading }) });
    const id = await aReady();
    await update(id, { context: 512 });
    await until('both run', () => lost.revisionsOf(id).length === 2);
    const heir = rig.startAgent({ react: byRevision({ 2: keepsLoading }) });
    lost.freeze();
    await until('the heir runs both', () => heir.revisionsOf(id).join() === '1,2');
    expect(await rig.seen(account, id, 'ready')).toMatchObject({ serving_rev: 1 });
  });
});

describe('the changes of an update', () => {
  const http = { kind: 'http', url: `http://${ENGINE_HOST}/v1`, model: 'm' };
  const itemOf = (agent: FakeAgent, id: DeploymentId, rev: number) =>
    until(`revision ${rev} arrives`, () => agent.items.find((item) => item.dep === id && item.rev === rev));

  it('are the given fields; null resets to default', async () => {
    await rig.startReplica();
    const agent = rig.startAgent();
    const id = await aReady({ context: 512, slots: 2, threads: 1, default_max_tokens: 9 });
    expect(await update(id, {})).toMatchObject({ rev: 1, changed: false });
    expect(await update(id, { context: 512, source: { path: MODEL, kind: 'file' } })).toMatchObject({ rev: 1, changed: false });
    expect(await update(id, { name: ' renamed ' })).toMatchObject({ rev: 1, changed: false });
    expect(await rig.view(account, id)).toMatchObject({ name: 'renamed', rev: 1 });
    expect(await update(id, { context: null, slots: null, threads: null, default_max_tokens: null })).toMatchObject({
      rev: 2,
      changed: true,
    });
    expect(await itemOf(agent, id, 2)).toMatchObject({ context: null, slots: 4, threads: 2, default_max_tokens: null });
    // Back to what the first revision was.
    expect(await update(id, { base: 1 })).toMatchObject({ rev: 3, changed: true });
    expect(await itemOf(agent, id, 3)).toMatchObject({ context: 512, slots: 2, threads: 1, default_max_tokens: 9 });
    const { revisions: listed } = await rig.ask(FindDeployment, { account, deployment: id });
    expect(listed.map(({ rev, context }) => [rev, context])).toEqual([
      [3, 512],
      [2, null],
      [1, 512],
    ]);
  });

  it('keep a credential for the same server only', async () => {
    await rig.startReplica({ ENGINE_HOSTS: `${ENGINE_HOST},other.test` });
    const agent = rig.startAgent();
    const id = await aReady({ source: http, credential: 'sk-first', replicas: 1 });
    await update(id, { source: { ...http, model: 'next' } });
    expect(await itemOf(agent, id, 2)).toMatchObject({ slots: 512 });
    expect(agent.secretOf(await itemOf(agent, id, 2))).toBe('sk-first');
    await update(id, { credential: 'sk-second' });
    expect(agent.secretOf(await itemOf(agent, id, 3))).toBe('sk-second');
    await update(id, { source: { ...http, url: 'http://other.test/v1' } });
    expect(agent.secretOf(await itemOf(agent, id, 4))).toBeUndefined();
    await update(id, { base: 3, credential: null });
    expect(agent.secretOf(await itemOf(agent, id, 5))).toBeUndefined();
    await update(id, { source: { kind: 'file', path: MODEL } });
    expect(await itemOf(agent, id, 6)).toMatchObject({ slots: 4 });
    const found = await rig.ask(FindDeployment, { account, deployment: id });
    expect(found.revisions.map(({ credential }) => credential)).toEqual([false, false, false, true, true, true]);
    expect(JSON.stringify(found)).not.toContain('sk-');
  });

  it.each([
    ['a foreign source', { source: { kind: 'file', path: '/etc/passwd' } }, { code: 'source_not_allowed', param: 'source.path' }],
    ['a credential for a file', { credential: 'sk-1' }, { code: 'invalid_request', param: 'credential' }],
    ['a revision that never was', { base: 7 }, { code: 'invalid_request', param: 'base' }],
    ['no slot', { slots: 0 }, { code: 'invalid_request', param: 'slots' }],
    ['a name that turns lists around', { name: 'a\u202Eb' }, { code: 'invalid_request', param: 'name' }],
  ])('%s is refused and changes nothing', async (_, changes, refusal) => {
    await rig.startReplica();
    const id = await rig.create(account);
    await expect(update(id, { name: 'other', ...changes })).rejects.toMatchObject(refusal);
    expect(await rig.view(account, id)).toMatchObject({ rev: 1, name: 'a model' });
  });

  it('allow scaling at the same time', async () => {
    await rig.startReplica();
    const agents = [1, 2].map(() => rig.startAgent());
    const id = await aReady();
    await Promise.all([update(id, { slots: 1 }), rig.ask(ScaleDeployment, { account, deployment: id, replicas: 2 })]);
    await until('both are settled', async () => {
      const [view] = (await rig.ask(ListDeployments, { account })).deployments;
      return view?.state === 'ready' && view.serving_rev === 2 && view.ready_replicas === 2;
    });
    await until('the old one is gone', () => revisions(id, agents).flat().join() === '2,2');
  });
});
