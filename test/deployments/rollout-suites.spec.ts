import {
  type AccountId,
  AdvanceRollout,
  type DeploymentId,
  FindRollout,
  isServiceError,
  ListDeploymentAudit,
  StartRollout,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedTuning } from '../adapters/scripted-tuning.js';
import { until } from '../testing/until.js';
import { anAccount, DeploymentsRig } from './rig.js';
import { ScriptedLedger } from './scripted-ledger.js';

let postgres: TestPostgres;
let rig: DeploymentsRig;
let ledger: ScriptedLedger;
let tuning: ScriptedTuning;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await DeploymentsRig.open(postgres);
  ledger = await ScriptedLedger.start(await rig.connection('keys'));
  tuning = await ScriptedTuning.start(await rig.connection('tuning'));
  await rig.startReplica({ ROLLOUT_CHECK_MS: '100' });
  rig.startAgent();
});
afterAll(async () => {
  await ledger?.stop();
  await tuning?.stop();
  await rig?.close();
  await postgres.stop();
});

const ALIAS = 'support';
let account: AccountId;
let stable: DeploymentId;
let candidate: DeploymentId;

beforeEach(async () => {
  account = anAccount();
  [stable, candidate] = [await rig.create(account), await rig.create(account)];
  for (const id of [stable, candidate]) await rig.published(id, 'ready');
  await rig.pointAlias(account, ALIAS, stable);
});

const named = (): { account: AccountId; alias: string } => ({ account, alias: ALIAS });
const start = (more: object) => rig.ask(StartRollout, { ...named(), candidate, ...more }).then(({ rollout }) => rollout);
const find = () => rig.ask(FindRollout, named()).then(({ rollout }) => rollout);
const advance = () => rig.ask(AdvanceRollout, named()).then(({ rollout }) => rollout);
const refused = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: unknown) => (isServiceError(error) ? `${error.code}: ${error.message}` : String(error)),
  );
const ends = (state: string) => until(`the rollout is ${state}`, async () => (await find()).state === state && find());

describe('the suite of a rollout', () => {
  /** Candidate's result by the suite's one grader. */
  const result = (points: number, low: number, high: number) => ({
    ...{ deployment: candidate, answered: 10, failed: 0, preferences: [], median_ms: null },
    graders: [
      {
        ...{ grader: 0, passed: 5, of: 10, rate: null },
        delta: { points, low, high, better: 0, worse: 0, items: 10, is_certain: low > 0 || high < 0 },
      },
    ],
  });
  const suite = (): never => account as never;
  const passed = () => tuning.suites.set(account, { state: 'succeeded', done: 20, result: result(0, -20, 20) });
  const rounds = async (): Promise<void> => {
    const before = ledger.asked;
    await until('two rounds have passed', () => ledger.asked >= before + 2);
  };

  beforeEach(() => {
    ledger.set(stable, 1_000);
    ledger.set(candidate, 60);
    tuning.evaluated.length = 0;
    tuning.suites.set(account, {});
  });

  it('holds the first step until it has spoken', async () => {
    const begun = await start({ steps: [10], minutes: 0.01, suite: suite() });
    expect(begun).toMatchObject({ percent: 10, waits_for: 'suite', suite: { suite: account, evaluation: account, state: 'running' } });
    await rounds();
    expect(await find()).toMatchObject({ state: 'running', at_step: 0, waits_for: 'suite', suite: { total: 20 } });
    passed();
    expect(await ends('promoted')).toMatchObject({ suite: { state: 'passed', figures: [{ grader: 'exact', low: -20 }] } });
    const { stable: one, candidate: other, rollout } = tuning.evaluated[0] ?? {};
    expect([one, other, rollout]).toEqual([stable, candidate, begun.id]);
    expect(tuning.evaluated.at(-1)).toMatchObject({ evaluation: account });
  });

  it('takes a candidate back that is certainly worse', async () => {
    await start({ steps: [10], minutes: 60, suite: suite() });
    tuning.suites.set(account, { state: 'succeeded', result: result(-50, -80, -10) });
    const reason = `The suite support (evaluation ${account}): exact differs from stable by -50 points on 10 items (95 %: -80 to -10).`;
    expect(await ends('rolled_back')).toMatchObject({ reason, suite: { state: 'worse', figures: [{ value: -50, is_worse: true }] } });
    await until(
      'gateways send all to stable',
      () => rig.gateway.alias(account, ALIAS) === stable && rig.gateway.share(account, ALIAS) === 0,
    );
    const { entries } = await rig.ask(ListDeploymentAudit, { account, action: 'rollout' });
    expect(entries.map(({ facts }) => facts)).toMatchObject([{ reason }, { suite: account }]);
  });

  it('leaves the steps to people once its evaluation failed', async () => {
    tuning.suites.set(account, { state: 'failed', detail: 'deployment-9 is stopped.' });
    const detail = `Evaluation ${account} by the suite support has failed. deployment-9 is stopped.`;
    const begun = await start({ steps: [10, 60], minutes: 0.01, suite: suite() });
    expect(begun).toMatchObject({ waits_for: 'person', suite: { state: 'failed', detail } });
    await rounds();
    const asked = tuning.evaluated.length;
    expect(await find()).toMatchObject({ state: 'running', at_step: 0 });
    expect(await advance()).toMatchObject({ state: 'running', percent: 60, waits_for: 'person' });
    await rounds();
    expect(await advance()).toMatchObject({ state: 'promoted' });
    expect(tuning.evaluated.length).toBe(asked);
  });

  it('is waited for while tuning-service is away', async () => {
    await tuning.pause();
    try {
      const request = { ...named(), candidate, steps: [10], minutes: 0.01, suite: suite() };
      const { rollout } = await rig.rpc.call(StartRollout, request);
      const detail = 'tuning-service does not answer.';
      expect(rollout).toMatchObject({ percent: 10, waits_for: 'suite', suite: { evaluation: null, state: 'waiting', detail } });
      await rounds();
      expect(await find()).toMatchObject({ state: 'running', at_step: 0, suite: { state: 'waiting' } });
    } finally {
      passed();
      await tuning.resume();
    }
    await ends('promoted');
  });

  it('must be one of the account', async () => {
    tuning.suites.clear();
    expect(await refused(start({ suite: suite() }))).toBe('suite_not_found: This account has no such suite.');
    expect(await refused(find())).toContain('rollout_not_found');
  });
});
