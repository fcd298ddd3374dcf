import {
  CancelEvaluation,
  CreateEvaluation,
  DeleteEvaluation,
  EvaluateRollout,
  isServiceError,
  ListEvaluations,
  ListTuningAudit,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { ENV } from '../services/bus.js';
import { until } from '../testing/until.js';
import { EvaluationsStage, lastOf, line } from './evaluations-stage.js';
import { TuningRig } from './rig.js';

type Request = z.input<typeof EvaluateRollout.request>;

let postgres: TestPostgres;
let rig: TuningRig;
let stage: EvaluationsStage;
let rpc: RpcClient;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  stage = await EvaluationsStage.open(rig);
  await rig.startReplica(stage.settings);
  rpc = new RpcClient(await rig.connect('deployments'), ENV);
  for (const id of [1, 2]) stage.deployments.set(id, { rev: 1, adapter: null });
});
afterAll(async () => {
  await rig?.close();
  await stage?.close();
  await postgres.stop();
});

const evaluate = (request: Request) => rpc.call(EvaluateRollout, request);
const codeOf = (request: Request): Promise<string> =>
  evaluate(request).then(
    () => 'done',
    (error: unknown) => (isServiceError(error) ? error.code : String(error)),
  );

/** A suite with one grader, and what deployments-service asks for a rollout that names it. */
async function asked(): Promise<Request> {
  const given = await stage.dataset(Array.from({ length: 10 }, (_, n) => line(`Question ${n}`, `Answer ${n}`)));
  return { account: given.account, rollout: 3, suite: await stage.suite(given, [{ kind: 'exact' }]), stable: 1, candidate: 2 };
}

describe('the evaluation of a rollout', () => {
  it('is made once, with stable as the baseline', async () => {
    const request = await asked();
    stage.say.set(1, (body) => lastOf(body).replace('Question', 'Answer'));
    stage.say.set(2, () => 'I do not know.');
    const actor = { kind: 'user' as const, user: 7 };
    const [first, second] = await Promise.all([evaluate({ ...request, actor }), evaluate({ ...request, actor })]);
    expect(second.evaluation).toBe(first.evaluation);
    const known = { ...request, evaluation: first.evaluation };
    const over = await until('it is over', async () => {
      const said = await evaluate(known);
      return said.state === 'succeeded' ? said : null;
    });
    expect(over).toMatchObject({ graders: ['exact'], done: 20, total: 20, has_changed: false });
    expect(over.result).toMatchObject({ deployment: 2, graders: [{ passed: 0, delta: { points: -100, worse: 10 } }] });
    const { account } = request;
    const { evaluations } = await rig.ask(ListEvaluations, { account });
    expect(evaluations).toMatchObject([{ id: first.evaluation, created_by: { actor: 'user', actor_id: 7 } }]);
    expect((await rig.ask(ListTuningAudit, { account, action: 'evaluation.create' })).entries).toHaveLength(1);
  });

  it('is not made again when it was deleted', async () => {
    const request = await asked();
    stage.say.set(1, () => 'no');
    const { account } = request;
    const { evaluation } = await evaluate(request);
    await rig.outcome(CancelEvaluation, { account, evaluation });
    await rig.ask(DeleteEvaluation, { account, evaluation });
    expect(await codeOf({ ...request, evaluation })).toBe('evaluation_not_found');
    expect((await rig.ask(ListEvaluations, { account })).evaluations).toEqual([]);
  });

  it("is not that of a client's idempotency key", async () => {
    const request = await asked();
    const { account, suite } = request;
    for (const key of ['rollout-3', 'rollout:3', 'rollout3']) {
      await rig.ask(CreateEvaluation, { account, suite, deployments: [1], idempotency_key: key });
    }
    expect((await rig.outcome(CreateEvaluation, { account, suite, deployments: [1], idempotency_key: 'rollout 3' })).code).toBe(
      'invalid_request',
    );
    const { evaluation } = await evaluate(request);
    const { evaluations } = await rig.ask(ListEvaluations, { account });
    expect(evaluations.find(({ id }) => id === evaluation)?.deployments).toHaveLength(2);
  });

  it('is refused for a suite or deployment that is not there', async () => {
    const request = await asked();
    expect(await codeOf({ ...request, suite: 9_999 })).toBe('suite_not_found');
    expect(await codeOf({ ...request, candidate: 9 })).toBe('deployment_not_found');
  });
});
