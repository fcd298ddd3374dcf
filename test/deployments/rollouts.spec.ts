import { isDeepStrictEqual } from 'node:util';
import {
  type AccountId,
  AdvanceRollout,
  DeleteDeployment,
  type DeploymentId,
  deploymentSlug,
  FindRollout,
  isServiceError,
  ListAliases,
  ListDeploymentAudit,
  ListDeploymentEvents,
  ListRollouts,
  PointAlias,
  PromoteRollout,
  RemoveAlias,
  ResumeDeployment,
  RollBackRollout,
  StartRollout,
  StopDeployment,
  UpdateDeployment,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ScriptedTuning } from '../adapters/scripted-tuning.js';
import { until } from '../testing/until.js';
import { anAccount, DeploymentsRig, MODEL } from './rig.js';
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
  rig.startAgent({ facts: { features: ['adapter'] } });
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

type Asked = Omit<Parameters<typeof rig.ask<typeof StartRollout>>[1], 'account' | 'alias' | 'candidate'>;
const start = (more: Partial<Asked> & { candidate?: DeploymentId } = {}) =>
  rig.ask(StartRollout, { account, alias: ALIAS, candidate, minutes: null, ...more }).then(({ rollout }) => rollout);
const named = (): { account: AccountId; alias: string } => ({ account, alias: ALIAS });
const find = () => rig.ask(FindRollout, named()).then(({ rollout }) => rollout);
const advance = (more: object = {}) => rig.ask(AdvanceRollout, { ...named(), ...more }).then(({ rollout }) => rollout);
const promote = (more: object = {}) => rig.ask(PromoteRollout, { ...named(), ...more }).then(({ rollout }) => rollout);
const back = (more: object = {}) => rig.ask(RollBackRollout, { ...named(), ...more }).then(({ rollout }) => rollout);
const refused = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: unknown) => (isServiceError(error) ? `${error.code}: ${error.message}` : String(error)),
  );

/** What gateways do with the alias. */
const shared = () => ({ to: rig.gateway.alias(account, ALIAS), percent: rig.gateway.share(account, ALIAS) });
const becomes = (to: DeploymentId, percent: number): Promise<unknown> =>
  until(`gateways send ${percent} % beside ${to}`, () => shared().to === to && shared().percent === percent);
const ends = (state: string) => until(`the rollout is ${state}`, async () => (await find()).state === state && find());

describe('a rollout by hand', () => {
  it('moves an alias in steps and promotes the candidate', async () => {
    expect(await start({ steps: [5, 50, 100] })).toMatchObject({ state: 'running', percent: 5, at_step: 0, waits_for: 'person' });
    await becomes(stable, 5);
    expect(await advance({ from_step: 0 })).toMatchObject({ percent: 50, at_step: 1 });
    await becomes(stable, 50);
    expect(await advance({ from_step: 0 })).toMatchObject({ percent: 50, at_step: 1 });
    expect(await advance()).toMatchObject({ state: 'promoted', percent: 100, waits_for: null });
    await becomes(candidate, 0);
    expect((await rig.view(account, stable)).state).toBe('ready');
    expect(await refused(advance())).toContain('rollout_not_found');
    expect(await promote()).toMatchObject({ state: 'promoted' });
  });

  it('is one at a time, and the same when it is started again', async () => {
    const { id } = await start();
    expect(await start()).toMatchObject({ id, percent: 5 });
    const third = await rig.create(account);
    expect(await refused(start({ candidate: third }))).toContain('rollout_in_progress');
    expect(await rig.ask(ListRollouts, { account })).toMatchObject({ rollouts: [{ id, alias: ALIAS, state: 'running' }] });
    await back();
    expect((await start({ candidate: third })).id).toBeGreaterThan(id);
  });

  it('returns to stable at once, also after the promotion', async () => {
    await start({ steps: [50] });
    await becomes(stable, 50);
    expect(await back({ reason: 'It answers in French.' })).toMatchObject({
      state: 'rolled_back',
      percent: 0,
      reason: 'It answers in French.',
    });
    await becomes(stable, 0);
    expect(await back()).toMatchObject({ reason: 'It answers in French.' });
    await start();
    await promote();
    await becomes(candidate, 0);
    expect(await back()).toMatchObject({ state: 'rolled_back' });
    await becomes(stable, 0);
    await start();
    await promote();
    await rig.pointAlias(account, ALIAS, stable);
    expect(await refused(back())).toContain('was pointed at another deployment');
  });

  it('keeps its alias and its stable deployment as they are', async () => {
    await start();
    const words = /Promote it or roll it back first/;
    expect(await refused(rig.ask(PointAlias, { ...named(), deployment: candidate }))).toMatch(words);
    expect(await refused(rig.ask(PointAlias, { ...named(), deployment: stable }))).toBe('done');
    expect(await refused(rig.ask(RemoveAlias, named()))).toMatch(words);
    expect(await refused(rig.ask(StopDeployment, { account, deployment: stable }))).toMatch(words);
    await becomes(stable, 5);
  });

  it('ends when its candidate is stopped, and then deleted', async () => {
    await start();
    await becomes(stable, 5);
    await rig.ask(StopDeployment, { account, deployment: candidate });
    await becomes(stable, 0);
    expect(await find()).toMatchObject({ state: 'rolled_back', reason: 'The candidate was stopped.' });
    await rig.seen(account, candidate, 'stopped');
    expect(await refused(start())).toBe('deployment_not_ready: The candidate is stopped. Resume it first.');
    expect(await refused(rig.ask(DeleteDeployment, { account, deployment: candidate }))).toBe('done');
    expect(await refused(start())).toContain('deployment_not_found');
    expect(await find()).toMatchObject({ candidate, state: 'rolled_back' });
    await rig.ask(RemoveAlias, named());
    expect(await refused(find())).toContain('rollout_not_found');
  });

  it('leaves stored responses of the other side in reach', async () => {
    for (const deployment of [stable, candidate]) await rig.ask(UpdateDeployment, { account, deployment, store_responses: true });
    const leftOf = () => rig.gateway.canary(account, ALIAS);
    const left = (canary: object | undefined) =>
      until(`gateways look up at ${JSON.stringify(canary)}`, () => isDeepStrictEqual(leftOf(), canary));
    await start();
    await promote();
    await left({ deployment: stable, percent: 0 });
    await back();
    await left({ deployment: candidate, percent: 0 });
    expect(await refused(rig.ask(StopDeployment, { account, deployment: candidate }))).toBe('done');
    await rig.seen(account, candidate, 'stopped');
    expect(await refused(rig.ask(DeleteDeployment, { account, deployment: candidate }))).toBe('done');
    await left(undefined);
    expect(rig.gateway.alias(account, ALIAS)).toBe(stable);
  });

  it('is refused for what is not there or not another', async () => {
    expect(await refused(rig.ask(StartRollout, { account, alias: 'nobody', candidate }))).toContain('alias_not_found');
    expect(await refused(start({ candidate: stable }))).toContain('points at the candidate already');
    const other = await rig.create(anAccount());
    expect(await refused(start({ candidate: other }))).toContain('deployment_not_found');
    for (const wrong of [{ steps: [50, 5] }, { steps: [] }, { steps: [101] }, { minutes: 0 }, { guard: { requests: 1 } }]) {
      expect(await refused(start(wrong))).toContain('invalid_request');
    }
    for (const call of [advance, promote, back, find]) expect(await refused(call())).toContain('rollout_not_found');
  });

  it('is in the audit log and in the history of both sides', async () => {
    await start({ steps: [5, 25] });
    await advance();
    await promote();
    await back({ reason: 'No.' });
    const { entries } = await rig.ask(ListDeploymentAudit, { account, action: 'rollout' });
    expect(entries.map(({ action }) => action)).toEqual(['rollout.back', 'rollout.promote', 'rollout.advance', 'rollout.start']);
    expect(entries[0]).toMatchObject({ object: `alias:${ALIAS}`, facts: { reason: 'No.', percent: 0 } });
    const way = `${deploymentSlug(stable)} → ${deploymentSlug(candidate)}`;
    for (const deployment of [stable, candidate]) {
      const { events } = await rig.ask(ListDeploymentEvents, { account, deployment });
      expect(events[0]).toMatchObject({ kind: 'rollout.back', facts: { alias: ALIAS, deployment: way }, by: { actor: 'ops' } });
    }
    expect((await rig.ask(ListAliases, { account })).aliases).toMatchObject([{ alias: ALIAS, deployment: stable }]);
  });
});

describe('the guard', () => {
  it('takes steps by itself and promotes after the last one', async () => {
    ledger.set(stable, 1_000);
    ledger.set(candidate, 60);
    expect(await start({ steps: [10, 60], minutes: 0.01 })).toMatchObject({ percent: 10 });
    expect(await ends('promoted')).toMatchObject({ figures: { candidate: { requests: 60, errors: 0, first_token_ms: { p50: 100 } } } });
    await becomes(candidate, 0);
    const { events } = await rig.ask(ListDeploymentEvents, { account, deployment: candidate });
    expect(events.find(({ kind }) => kind === 'rollout.promote')).toMatchObject({ by: null });
    expect(events.find(({ kind }) => kind === 'rollout.advance')).toMatchObject({ by: null, facts: { percent: 60 } });
  });

  it('waits for requests of the candidate, and for its ledger', async () => {
    ledger.set(stable, 1_000);
    ledger.set(candidate, 49);
    await start({ steps: [10], minutes: 0.01 });
    await until('the minutes are over', async () => (await find()).waits_for === 'requests');
    const rounds = ledger.asked;
    await until('two rounds have passed', () => ledger.asked >= rounds + 2);
    expect(await find()).toMatchObject({ state: 'running', figures: { candidate: { requests: 49 } } });
    await ledger.stop();
    expect(await find()).toMatchObject({ state: 'running', waits_for: 'figures', figures: null });
    ledger.set(candidate, 50);
    await ledger.resume();
    await ends('promoted');
  });

  it('takes a worse candidate back at once, with its figures', async () => {
    ledger.set(stable, 1_000);
    ledger.set(candidate, 50, { cut: 40 });
    await start({ steps: [50], minutes: 60 });
    const ended = await ends('rolled_back');
    expect(ended).toMatchObject({
      reason: "Answers that ended at their token limit: 80 % (40 of 50) of the candidate's, 0 % (0 of 1000) of stable's.",
      figures: { stable: { requests: 1_000 }, candidate: { requests: 50, cut: 40 } },
    });
    await becomes(stable, 0);
    const { entries } = await rig.ask(ListDeploymentAudit, { account, action: 'rollout.back' });
    expect(entries).toMatchObject([{ facts: { reason: (ended as { reason: string }).reason } }]);
    expect(await rig.ask(ResumeDeployment, { account, deployment: candidate })).toMatchObject({ state: 'ready' });
  });
});

describe('an adapter with a bad verdict', () => {
  const hash = (digit: string): string => digit.repeat(64);
  let tuned: DeploymentId;

  beforeEach(async () => {
    const witness = { answers: [{ prompt: [1], answer: [2], adapter: [-0.1], base: [-1] }], distance: 1 };
    const facts = { base_path: MODEL, base_sha256: hash('b'), template_sha256: hash('c'), tokenizer_sha256: hash('d') };
    const adapter = { ...facts, id: account, account, content: Buffer.from('x'), name: 'support', version: 1, witness };
    tuning.add(adapter);
    tuned = await rig.create(account, { source: undefined, adapter: { id: account } });
    await rig.published(tuned, 'ready');
    tuning.add({ ...adapter, failedGate: true });
    tuning.overrides.length = 0;
  });

  it('gets an alias only for a reason', async () => {
    const why = 'Its keep set is out of date.';
    expect(await refused(rig.ask(PointAlias, { ...named(), deployment: tuned }))).toBe('gate_not_passed: Its keep set got worse.');
    expect(await refused(start({ candidate: tuned }))).toContain('gate_not_passed');
    await start({ candidate: tuned, override: why });
    expect(await promote()).toMatchObject({ state: 'promoted' });
    expect(tuning.overrides).toEqual([why, why]);
    await back();
    expect(await refused(rig.ask(PointAlias, { ...named(), deployment: tuned, override: why }))).toBe('done');
    const { entries } = await rig.ask(ListDeploymentAudit, { account, action: 'alias.point' });
    expect(entries[0]).toMatchObject({ facts: { override: why } });
  });

  it('is taken back when its verdict turned bad before the promotion', async () => {
    tuning.add({ ...tuning.adapters.get(account)!, failedGate: false });
    ledger.set(stable, 1_000);
    ledger.set(tuned, 60);
    await start({ candidate: tuned, steps: [10], minutes: 0.02 });
    tuning.add({ ...tuning.adapters.get(account)!, failedGate: true });
    expect(await ends('rolled_back')).toMatchObject({ reason: 'Its keep set got worse.' });
  });

  it('is unknown while tuning-service is away', async () => {
    await tuning.pause();
    try {
      const point = (more: object) => rig.rpc.call(PointAlias, { ...named(), deployment: tuned, ...more });
      expect(await refused(point({}))).toContain('unavailable: The verdict');
      expect(await refused(point({ override: 'It must go on.' }))).toBe('done');
      expect(await refused(rig.rpc.call(PointAlias, { ...named(), deployment: candidate }))).toBe('done');
    } finally {
      await tuning.resume();
    }
  });
});
