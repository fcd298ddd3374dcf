import { type DeploymentFacts, Heartbeat, Incarnation, runnerName, subjectOf } from '@slipway/contracts';
import { nuid } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV, GatewayRig, type RunningGateway, until } from './gateway-rig.js';

const [agent, other] = ['agent-1', 'agent-2'].map((name) => Incarnation.parse(name)) as [Incarnation, Incarnation];

describe('a gateway', () => {
  let rig: GatewayRig;
  let gw: RunningGateway;
  let account: DeploymentFacts['account'];
  let key: string;

  beforeAll(async () => {
    rig = await GatewayRig.start();
    account = rig.account().id;
    key = rig.key(account).value;
    gw = await rig.gateway();
  });
  afterAll(() => rig?.end());

  const ask = ({ id }: DeploymentFacts): Promise<Response> =>
    fetch(`${gw.url}/deployment-${id}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ model: `deployment-${id}`, messages: [{ role: 'user', content: 'x' }] }),
    });
  const runnerOf = (dep: DeploymentFacts['id'], of: Incarnation) => rig.runner({ dep, wk: runnerName(of, dep, nuid.next()) });

  it('sends requests to named agents, never forged ones', async () => {
    const deployment = rig.deployment(account, { agents: [agent] });
    const forged = [await runnerOf(deployment.id, other), await rig.runner({ dep: deployment.id })];
    const named = await runnerOf(deployment.id, agent);
    await rig.whenAnswering(gw, deployment, key);
    for (let n = 0; n < 20; n += 1) expect((await ask(deployment)).status).toBe(200);
    expect(forged.map(({ admitted }) => admitted.length)).toEqual([0, 0]);
    expect(named.admitted.length).toBeGreaterThanOrEqual(20);
  });

  it('answers 503 where only forged runners report', async () => {
    const deployment = rig.deployment(account, { agents: [agent] });
    const forged = await runnerOf(deployment.id, other);
    const known = rig.deployment(account);
    await runnerOf(known.id, other);
    await rig.whenAnswering(gw, known, key);
    expect((await ask(deployment)).status).toBe(503);
    expect(forged.admitted).toEqual([]);
  });

  it('sends no request to another deployment’s runner', async () => {
    const [victim, own] = [rig.deployment(account, { agents: [agent] }), rig.deployment(account, { agents: [agent] })];
    const wk = runnerName(agent, own.id, nuid.next());
    await rig.runner({ dep: own.id, wk });
    // Two runners of one name both get its starts, and either may answer first: only this one is there while `own` is asked.
    await rig.whenAnswering(gw, own, key);
    const greedy = await rig.runner({ dep: victim.id, wk });
    const honest = await runnerOf(victim.id, agent);
    await rig.whenAnswering(gw, victim, key);
    for (let n = 0; n < 20; n += 1) expect((await ask(victim)).status).toBe(200);
    expect(greedy.admitted).toEqual([]);
    expect(honest.admitted.length).toBeGreaterThanOrEqual(20);
  });

  it('ignores heartbeats that differ from their subject', async () => {
    const [deployment, empty] = [rig.deployment(account, { agents: [agent] }), rig.deployment(account, { agents: [agent] })];
    const sibling = await runnerOf(deployment.id, agent);
    const forger = await rig.connect('forger');
    const forged = { wk: sibling.wk, dep: deployment.id, rev: 1, fp: '', state: 'draining', slots: 0, used: 0, queued: 0 };
    const rest = { n: Number.MAX_SAFE_INTEGER, proto: ['1.0', '1.0'], caps: [], zone: null };
    const speakAs = (wk: Incarnation, message: object): void => {
      const text = JSON.stringify({ ...forged, ...rest, ...message });
      forger.publish(subjectOf(Heartbeat, { env: ENV, dep: deployment.id, wk }), text);
    };
    const other = runnerName(agent, deployment.id, nuid.next());
    speakAs(other, {});
    speakAs(agent, { wk: agent, dep: empty.id, state: 'ready', slots: 8 });
    await forger.flush();
    await rig.whenAnswering(gw, deployment, key);
    speakAs(other, {});
    await forger.flush();
    expect((await ask(deployment)).status).toBe(200);
    expect((await ask(empty)).status).toBe(503);
  });

  it('accepts older runners without a deployment name', async () => {
    const deployment = rig.deployment(account, { agents: [agent] });
    const older = await rig.runner({ dep: deployment.id, wk: Incarnation.parse(`${agent}-${nuid.next()}`) });
    await until('it serves', async () => (await ask(deployment)).status === 200);
    expect(older.admitted).not.toEqual([]);
  });

  it('accepts early runners once the feed names them', async () => {
    const deployment = rig.deployment(account, { agents: [agent] });
    const late = await runnerOf(deployment.id, other);
    await runnerOf(deployment.id, agent);
    await rig.whenAnswering(gw, deployment, key);
    rig.deployments.put(`deployment:${deployment.id}`, { ...deployment, agents: [other] });
    await until('the new agent serves', async () => (await ask(deployment)).status === 200 && late.admitted.length > 0);
  });

  it('accepts every runner from feeds without agents', async () => {
    const deployment = rig.deployment(account);
    await rig.runner({ dep: deployment.id });
    await rig.whenAnswering(gw, deployment, key);
    expect((await ask(deployment)).status).toBe(200);
  });
});
