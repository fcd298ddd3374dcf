import {
  CreateDeployment,
  DeleteDeployment,
  FindDeploymentQuotas,
  ListDeploymentAudit,
  PointAlias,
  ScaleDeployment,
  SetDeploymentQuotas,
  StopDeployment,
} from '@slipway/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isServiceError } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { aModel, anAccount, DeploymentsRig, ENGINE_HOST } from './rig.js';

let postgres: TestPostgres;
let rig: DeploymentsRig;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await DeploymentsRig.open(postgres);
  await rig.startReplica({
    QUOTA_DEPLOYMENTS: '4',
    QUOTA_REPLICAS: '6',
    QUOTA_ALIASES: '3',
    REPLICAS_MAX: '5',
    SLOTS_MAX: '32',
    CONTEXT_MAX: '4096',
  });
});
afterAll(async () => {
  await rig?.close();
  await postgres.stop();
});

const refused = { code: 'quota_exceeded' };
const engine = { kind: 'http' as const, url: `http://${ENGINE_HOST}/v1`, model: 'm' };

/** How many of the calls were done, and how many refused for want of quota. */
async function tally(calls: readonly Promise<unknown>[]): Promise<{ done: number; refused: number }> {
  const results = await Promise.allSettled(calls);
  const isRefusal = (result: PromiseSettledResult<unknown>): boolean =>
    result.status === 'rejected' && isServiceError(result.reason) && result.reason.code === 'quota_exceeded';
  return { done: results.filter(({ status }) => status === 'fulfilled').length, refused: results.filter(isRefusal).length };
}

describe('an account', () => {
  it('has at most its quota of deployments', async () => {
    const [account, other] = [anAccount(), anAccount()];
    expect(await tally(Array.from({ length: 12 }, () => rig.create(account)))).toEqual({ done: 4, refused: 8 });
    await expect(rig.create(account)).rejects.toMatchObject({
      ...refused,
      message: expect.stringMatching(/4 deployments and may have 4/) as string,
    });
    await rig.create(other);
    const [first] = await rig.list(account);
    await rig.ask(StopDeployment, { account, deployment: first!.id });
    await rig.seen(account, first!.id, 'stopped');
    await expect(rig.create(account)).rejects.toMatchObject(refused);
    await rig.ask(DeleteDeployment, { account, deployment: first!.id });
    await rig.create(account);
  });

  it('has at most its quota of replicas', async () => {
    const account = anAccount();
    const ids = [await rig.create(account, { replicas: 2 }), await rig.create(account, { replicas: 2 })];
    const scaled = ids.map((deployment) => rig.ask(ScaleDeployment, { account, deployment, replicas: 4 }));
    expect(await tally([...scaled, rig.create(account, { replicas: 2 })])).toEqual({ done: 1, refused: 2 });
    await expect(rig.create(account, { source: engine })).rejects.toMatchObject({ ...refused, param: 'replicas' });
    const [view] = await rig.list(account);
    await rig.ask(ScaleDeployment, { account, deployment: view!.id, replicas: 1 });
  });

  it('has at most its quota of aliases', async () => {
    const account = anAccount();
    const [a, b] = [await rig.create(account), await rig.create(account)];
    const pointed = Array.from({ length: 8 }, (_, n) => rig.ask(PointAlias, { account, alias: `alias-${n}`, deployment: a }));
    expect(await tally(pointed)).toEqual({ done: 3, refused: 5 });
    const { used } = await rig.ask(FindDeploymentQuotas, { account });
    expect(used).toEqual({ deployments: 2, replicas: 2, aliases: 3 });
    const names = (await rig.list(account)).flatMap(({ aliases }) => aliases);
    await rig.ask(PointAlias, { account, alias: names[0]!, deployment: b });
  });

  it('may repeat a creation at a full quota', async () => {
    const account = anAccount();
    const asked = { ...aModel(account), idempotency_key: 'once' };
    const { id } = await rig.ask(CreateDeployment, asked);
    for (let n = 0; n < 3; n += 1) await rig.create(account);
    expect(await rig.ask(CreateDeployment, asked)).toEqual({ id });
  });
});

describe('an operator', () => {
  it('sets and resets quotas, with audit entries', async () => {
    const account = anAccount();
    const ops = await rig.connect('ops');
    const set = (quotas: object) => ops.call(SetDeploymentQuotas, { account, quotas, actor: { kind: 'ops' } });
    expect(await set({ deployments: 0, aliases: 1 })).toMatchObject({
      quotas: { deployments: 0, aliases: 1 },
      defaults: { deployments: 4, replicas: 6, aliases: 3 },
    });
    await expect(rig.create(account)).rejects.toMatchObject(refused);
    expect((await set({ deployments: 1 })).quotas).toEqual({ deployments: 1, aliases: 1 });
    await rig.create(account);
    await expect(rig.create(account)).rejects.toMatchObject(refused);
    expect((await set({ deployments: null, aliases: null })).quotas).toEqual({});
    await rig.create(account);
    await expect(set({ deploymants: 3 })).rejects.toMatchObject({ code: 'invalid_request' });
    const { entries } = await rig.ask(ListDeploymentAudit, { account });
    expect(entries.filter(({ action }) => action === 'quotas.set').map(({ actor, facts }) => [actor, facts])).toEqual([
      ['ops', { deployments: '1 → default', aliases: '1 → default' }],
      ['ops', { deployments: '0 → 1' }],
      ['ops', { deployments: 'default → 0', aliases: 'default → 1' }],
    ]);
  });

  it.each([
    ['replicas', { replicas: 6 }],
    ['slots', { slots: 33 }],
    ['context', { context: 4_097 }],
  ])('bounds %s', async (param, changes) => {
    await expect(rig.create(anAccount(), changes)).rejects.toMatchObject({ code: 'invalid_request', param });
  });

  it('bounds threads by the largest worker’s processors', async () => {
    const agent = rig.startAgent();
    const account = anAccount();
    await rig.seen(account, await rig.create(account, { threads: 4 }), 'ready');
    await expect(rig.create(anAccount(), { threads: 5 })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'threads',
      message: expect.stringContaining('at most 4') as string,
    });
    agent.stop();
  });
});

describe('a path', () => {
  it.each([
    ['of 2,000 parts', `/${'a/'.repeat(1_999)}m.gguf`],
    ['with a part of 300 bytes', `/models/${'a'.repeat(300)}.gguf`],
  ])('%s is refused at once', async (_, path) => {
    await expect(rig.create(anAccount(), { source: { kind: 'file', path } })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'source.path',
    });
  });
});
