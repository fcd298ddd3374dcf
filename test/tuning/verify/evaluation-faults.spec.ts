import { ReadEvaluationItems } from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ServiceProcess } from '../../services/service-process.js';
import { type ChatBody, EvaluationsStage, lastOf, line } from '../evaluations-stage.js';
import { TuningRig } from '../rig.js';

let postgres: TestPostgres;
let rig: TuningRig;
let stage: EvaluationsStage;
let service: ServiceProcess;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  stage = await EvaluationsStage.open(rig);
  service = await rig.startProcess(stage.settings);
  for (let id = 1; id <= 3; id += 1) stage.deployments.set(id, { rev: 1, adapter: null });
});
afterAll(async () => {
  await rig?.close();
  await stage?.close();
  await postgres.stop();
});

const MANY = Array.from({ length: 60 }, (_, n) => line(`Question ${n}`, `Answer ${n}`));
const right = (body: ChatBody): string => lastOf(body).replace('Question', 'Answer');
const isJudged = ({ response_format: format }: ChatBody): boolean => format !== undefined;

describe('an evaluation', () => {
  it('goes on after its service was killed, with every answer once', async () => {
    const given = await stage.dataset(MANY);
    const judge = { kind: 'judge', deployment: 3 as never, rubric: 'Which is right?' } as const;
    const suite = await stage.suite(given, [{ kind: 'exact' }, judge]);
    let isSlow = true;
    const slowly = (answer: (body: ChatBody) => string) => (body: ChatBody) =>
      isSlow && stage.asked.filter((one) => isJudged(one) === isJudged(body)).length > 40
        ? { steps: [{ hang: true as const }] }
        : answer(body);
    stage.say.set(
      1,
      slowly(() => 'I do not know.'),
    );
    stage.say.set(2, slowly(right));
    stage.say.set(
      3,
      slowly(() => '{"winner": "first"}'),
    );
    const { account } = given;
    const evaluation = await stage.evaluation(account, suite, [1, 2]);
    await stage.seen(account, evaluation, 'has answers', ({ done }) => done >= 30);
    await service.stop('SIGKILL');
    isSlow = false;
    service = await rig.startProcess(stage.settings);
    await stage.seen(account, evaluation, 'is judged', ({ done }) => done >= 130);
    await service.stop('SIGKILL');
    service = await rig.startProcess(stage.settings);
    const view = await stage.ended(account, evaluation);
    expect(view).toMatchObject({ state: 'succeeded', done: 240, total: 240, results: [{ answered: 60 }, { answered: 60 }] });
    expect(view.results[1]).toMatchObject({ graders: [{ passed: 60, of: 60 }], preferences: [{ ties: 60 }] });
    const { matching } = await rig.ask(ReadEvaluationItems, { account, evaluation });
    expect(matching).toBe(60);
    const questions = stage.asked.filter((body) => !isJudged(body)).length;
    expect(questions).toBeLessThanOrEqual(120 + 8);
  });

  it('waits while the gateway is away, and goes on', async () => {
    const given = await stage.dataset(MANY.slice(0, 20));
    const suite = await stage.suite(given, [{ kind: 'exact' }]);
    const { account } = given;
    const port = Number(new URL(stage.gateway.url).port);
    stage.say.set(1, right);
    await stage.gateway.stop();
    const evaluation = await stage.evaluation(account, suite, [1]);
    const waiting = await stage.seen(account, evaluation, 'waits', ({ reason }) => reason === 'waiting');
    expect([waiting.state, waiting.detail]).toEqual(['running', expect.stringContaining('goes on')]);
    await stage.startGateway(port);
    expect(await stage.ended(account, evaluation)).toMatchObject({
      state: 'succeeded',
      reason: null,
      detail: null,
      results: [{ answered: 20 }],
    });
  });
});
