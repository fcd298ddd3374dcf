import { type DeploymentFacts, Incarnation } from '@slipway/contracts';
import { nuid } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayRig, type RunningGateway, until } from './gateway-rig.js';

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
  const runnerOf = (dep: DeploymentFacts['id'], of: Incarnation) => rig.runner({ dep, wk: Incarnation.parse(`${of}-${nuid.next()}`) });

  it('sends requests to runners of the agents that the feed names, and none to a forged one', async () => {
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

  it('takes a runner that reported before the feed named its agent as soon as it does', async () => {
    const deployment = rig.deployment(account, { agents: [agent] });
    const late = await runnerOf(deployment.id, other);
    await runnerOf(deployment.id, agent);
    await rig.whenAnswering(gw, deployment, key);
    rig.deployments.put(`deployment:${deployment.id}`, { ...deployment, agents: [other] });
    await until('the new agent serves', async () => (await ask(deployment)).status === 200 && late.admitted.length > 0);
  });

  it('takes every runner where a service of before names no agents', async () => {
    const deployment = rig.deployment(account);
    await rig.runner({ dep: deployment.id });
    await rig.whenAnswering(gw, deployment, key);
    expect((await ask(deployment)).status).toBe(200);
  });
});
