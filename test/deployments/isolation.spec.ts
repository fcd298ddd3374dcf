import {
  type AccountId,
  AdvanceRollout,
  CONTRACTS,
  CreateDeployment,
  DeleteDeployment,
  DrainWorker,
  type DeploymentId,
  FindDeployment,
  FindDeploymentOptions,
  FindDeploymentQuotas,
  FindRollout,
  FitDeployment,
  ListAliases,
  ListConnectedWorkers,
  ListDeploymentAudit,
  ListDeploymentEvents,
  ListDeploymentLoads,
  ListDeployments,
  ListModels,
  ListRollouts,
  PointAlias,
  PromoteRollout,
  ReadDeploymentAudit,
  ReadLog,
  RemoveAlias,
  ResumeDeployment,
  RollBackRollout,
  type RpcContract,
  ScaleDeployment,
  SetDeploymentQuotas,
  StartRollout,
  StopDeployment,
  subjectOf,
  TestEngine,
  UpdateDeployment,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { anAccount, DeploymentsRig, ENGINE_HOST, MODEL } from './rig.js';

const UNUSED_ID = 2_000_000_000 as DeploymentId;
const SECRET_URI = 'hf:owner/private-repo/secret-model.gguf';

let postgres: TestPostgres;
let rig: DeploymentsRig;
let owner: AccountId;
let stranger: AccountId;
/** The owner's: one that runs, and one that is stopped and could be deleted. */
let running: DeploymentId;
let stopped: DeploymentId;
/** The stranger's own. */
let own: DeploymentId;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await DeploymentsRig.open(postgres);
  await rig.startReplica();
  const agent = rig.startAgent({ facts: { cached: [SECRET_URI] } });
  await agent.serveLogs();
  [owner, stranger] = [anAccount(), anAccount()];
  running = await rig.create(owner, { name: 'owners-model', source: { kind: 'download', uri: SECRET_URI } });
  stopped = await rig.create(owner);
  own = await rig.create(stranger);
  for (const id of [running, stopped, own]) await rig.published(id, 'ready');
  await rig.ask(StopDeployment, { account: owner, deployment: stopped });
  await rig.seen(owner, stopped, 'stopped');
  await rig.published(stopped, 'stopped');
  agent.logs.set(running, [{ at: 1, rev: 1, text: 'owners-log' }]);
  await rig.pointAlias(owner, 'owners-alias', running);
  const candidate = await rig.create(owner);
  await rig.published(candidate, 'ready');
  await rig.pointAlias(owner, 'owners-rollout', running);
  await rig.ask(StartRollout, { account: owner, alias: 'owners-rollout', candidate, minutes: null });
});
afterAll(async () => {
  await rig?.close();
  await postgres.stop();
});

/** What a stranger asks about a deployment that is not his. */
const AIMED: readonly (readonly [RpcContract, (account: AccountId, deployment: DeploymentId) => object])[] = [
  [FindDeployment, (account, deployment) => ({ account, deployment })],
  [UpdateDeployment, (account, deployment) => ({ account, deployment, name: 'taken', slots: 1 })],
  [StopDeployment, (account, deployment) => ({ account, deployment })],
  [ResumeDeployment, (account, deployment) => ({ account, deployment })],
  [ScaleDeployment, (account, deployment) => ({ account, deployment, replicas: 2 })],
  [DeleteDeployment, (account, deployment) => ({ account, deployment })],
  [ReadLog, (account, deployment) => ({ account, deployment })],
  [ListDeploymentEvents, (account, deployment) => ({ account, deployment })],
  [PointAlias, (account, deployment) => ({ account, alias: 'mine', deployment })],
  [TestEngine, (account, deployment) => ({ account, deployment, source: { kind: 'http', url: `http://${ENGINE_HOST}`, model: 'm' } })],
];

/** What operators ask about the whole service, and the console may not. */
const OF_OPERATORS: readonly RpcContract[] = [
  ReadDeploymentAudit,
  FindDeploymentQuotas,
  SetDeploymentQuotas,
  DrainWorker,
  ListConnectedWorkers,
];

/** What names no deployment of its own account's: its answer must show nothing of anybody else. */
const UNAIMED: readonly (readonly [RpcContract, (account: AccountId) => object])[] = [
  [ListDeployments, (account) => ({ account })],
  [ListAliases, (account) => ({ account })],
  [ListDeploymentAudit, (account) => ({ account })],
  [ListDeploymentLoads, (account) => ({ account })],
  [FindDeploymentOptions, (account) => ({ account })],
  [FitDeployment, (account) => ({ account, source: { kind: 'file', path: MODEL } })],
  [ListModels, (account) => ({ account })],
  [CreateDeployment, (account) => ({ account, name: 'new', source: { kind: 'file', path: MODEL } })],
  [RemoveAlias, (account) => ({ account, alias: 'owners-alias' })],
  [ListRollouts, (account) => ({ account })],
  [StartRollout, (account) => ({ account, alias: 'owners-rollout', candidate: running })],
  ...[FindRollout, AdvanceRollout, PromoteRollout, RollBackRollout].map(
    (contract) => [contract, (account: AccountId) => ({ account, alias: 'owners-rollout' })] as const,
  ),
];

const env = 'test';
const isOfOneProcess = ({ subject }: RpcContract): boolean => subject.includes('{wk}');
const served = CONTRACTS.filter(
  (contract): contract is RpcContract => contract.kind === 'rpc' && contract.owner === 'deployments' && !isOfOneProcess(contract),
);
const subjectsOf = (contracts: readonly RpcContract[]): string[] => contracts.map((contract) => subjectOf(contract, { env })).toSorted();

it('every RPC of owners is covered here', () => {
  const forOwners = served.filter(({ callers }) => callers.some((role) => role === 'console' || role === 'ops'));
  const inTables = [...AIMED, ...UNAIMED].map(([contract]) => contract);
  expect(subjectsOf([...inTables, ...OF_OPERATORS])).toEqual(subjectsOf(forOwners));
  for (const { callers } of OF_OPERATORS) expect(callers).toEqual(['ops']);
});

/** All that the owner can see of what is his, and what gateways know of it. */
const ownersView = async (): Promise<unknown> => ({
  deployments: await rig.list(owner),
  aliases: await rig.ask(ListAliases, { account: owner }),
  rollouts: await rig.ask(ListRollouts, { account: owner }),
  found: await Promise.all([running, stopped].map((deployment) => rig.ask(FindDeployment, { account: owner, deployment }))),
  feed: [running, stopped].map((id) => rig.gateway.deployment(id)),
});

const answerTo = (contract: RpcContract, request: object): Promise<unknown> =>
  rig.ask(contract, request).then(
    (reply) => ({ reply }),
    (error: unknown) => ({ ...(error as object), message: String(error) }),
  );

describe('another account', () => {
  it.each(AIMED)('gets the reply for unknown records: $subject', async (contract, request) => {
    const before = await ownersView();
    for (const target of [running, stopped]) {
      const answer = await answerTo(contract, request(stranger, target));
      expect(answer).toMatchObject({ code: 'deployment_not_found', param: 'deployment' });
      expect(answer).toEqual(await answerTo(contract, request(stranger, UNUSED_ID)));
    }
    expect(await ownersView()).toEqual(before);
    // It is the account that is missing, not the deployment.
    if (contract !== DeleteDeployment) expect(await answerTo(contract, request(stranger, own))).toHaveProperty('reply');
  });

  it.each(UNAIMED)('reads and changes nothing of the owner: $subject', async (contract, request) => {
    const before = await ownersView();
    const text = JSON.stringify(await answerTo(contract, request(stranger)));
    for (const secret of ['owners-model', 'secret-model', 'owners-log', '"removed":true', '"stable":']) expect(text).not.toContain(secret);
    expect(await ownersView()).toEqual(before);
  });

  it('may have an alias of the same name', async () => {
    await rig.pointAlias(stranger, 'owners-alias', own);
    await until('gateways know both', () => rig.gateway.alias(stranger, 'owners-alias') === own);
    expect(rig.gateway.alias(owner, 'owners-alias')).toBe(running);
    expect(await rig.ask(RemoveAlias, { account: stranger, alias: 'owners-alias' })).toMatchObject({ removed: true });
    expect(rig.gateway.alias(owner, 'owners-alias')).toBe(running);
  });
});
