import { type AccountId, type Grader, ListKeys, ReadBlindPairs, VoteEvaluationItem } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConsoleScene } from '../../people/console-scene.js';
import type { PatientRpc } from '../../services/patient-rpc.js';
import { EvaluationsStage, lastOf, line } from '../evaluations-stage.js';
import { TuningRig } from '../rig.js';

let postgres: TestPostgres;
let scene: ConsoleScene;
let rig: TuningRig;
let stage: EvaluationsStage;
let account: AccountId;
let one: PatientRpc;
let other: PatientRpc;
let viewer: PatientRpc;

beforeAll(async () => {
  [postgres, scene] = [await startTestPostgres(), await ConsoleScene.start()];
  ({ account } = scene.owner);
  rig = await TuningRig.open(postgres, scene.world.keys.bus);
  stage = await EvaluationsStage.open(rig, { hasKeysService: true });
  await rig.startReplica(stage.settings);
  for (let id = 1; id <= 2; id += 1) stage.deployments.set(id, { rev: 1, adapter: null });
  const person = async (role: 'member' | 'viewer'): Promise<PatientRpc> => {
    const { tokens } = await scene.world.member(scene.owner, role);
    return scene.world.proving(tokens.access_token);
  };
  [one, other, viewer] = [await person('member'), await person('member'), await person('viewer')];
});
afterAll(async () => {
  await rig?.close();
  await stage?.close();
  await scene?.end();
  await postgres?.stop();
});

const PEOPLE: Grader = { kind: 'people' };
const SIX = Array.from({ length: 6 }, (_, n) => line(`Question ${n}`, `Heron ${n}`));

describe('people', () => {
  it('vote without knowing which answer is whose', async () => {
    const given = await stage.dataset(SIX, account);
    const suite = await stage.suite(given, [PEOPLE]);
    stage.say.set(1, (body) => `old ${lastOf(body)}`);
    stage.say.set(2, (body) => `new ${lastOf(body)}`);
    const { id: evaluation } = await stage.run(account, suite, [1, 2]);
    const target = { account, evaluation };
    const { pairs, left } = await one.ask(ReadBlindPairs, { ...target, limit: 20 });
    expect([pairs.length, left]).toEqual([6, 6]);
    for (const { n, deployment, left: text } of pairs) {
      const choice = text.startsWith('new') ? 'left' : 'right';
      await one.ask(VoteEvaluationItem, { ...target, n, deployment, choice });
    }
    const [first] = pairs;
    expect(await one.ask(VoteEvaluationItem, { ...target, n: first!.n, deployment: first!.deployment, choice: 'tie' })).toEqual({
      voted: 6,
    });
    expect(await one.ask(ReadBlindPairs, target)).toMatchObject({ pairs: [], voted: 6, left: 0 });
    expect(await other.ask(ReadBlindPairs, { ...target, limit: 1 })).toMatchObject({ pairs: [{}], voted: 0, left: 6 });
    const { results } = await stage.view(account, evaluation);
    expect(results[1]?.preferences).toMatchObject([{ wins: 5, losses: 0, ties: 1 }]);
    expect((await viewer.outcome(ReadBlindPairs, target)).code).toBe('not_permitted');
    expect((await rig.outcome(VoteEvaluationItem, { ...target, n: 1, deployment: 2, choice: 'tie' })).code).toBe('not_permitted');
    expect((await one.outcome(VoteEvaluationItem, { ...target, n: 1, deployment: 1, choice: 'tie' })).code).toBe('invalid_request');
  });

  it('see the calls of evaluations under a key of their own', async () => {
    const { keys, evaluation } = await scene.world.ask(ListKeys, { account });
    expect([keys, evaluation?.length]).toEqual([[], 1]);
  });
});
