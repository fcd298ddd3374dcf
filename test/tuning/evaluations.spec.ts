import {
  CancelEvaluation,
  CreateEvaluation,
  CreateSuite,
  DeleteDataset,
  DeleteEvaluation,
  DeleteSuite,
  FindSuite,
  type Grader,
  ListEvaluations,
  ListSuites,
  ListTuningAudit,
  ReadEvaluationItems,
} from '@slipway/contracts';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EvaluationsStage, lastOf, line, refusal } from './evaluations-stage.js';
import { TuningRig } from './rig.js';

let postgres: TestPostgres;
let rig: TuningRig;
let stage: EvaluationsStage;

beforeAll(async () => {
  postgres = await startTestPostgres();
  rig = await TuningRig.open(postgres);
  stage = await EvaluationsStage.open(rig);
  await rig.startReplica({ ...stage.settings, JUDGE_CALLS_PER_DAY: '100' });
  for (let id = 1; id <= 4; id += 1) stage.deployments.set(id, { rev: 1, adapter: null });
});
afterAll(async () => {
  await rig?.close();
  await stage?.close();
  await postgres.stop();
});

const tool = { type: 'function', function: { name: 'time', parameters: { type: 'object' } } };
const call = (city: string): object => ({ id: 'a', type: 'function', function: { name: 'time', arguments: JSON.stringify({ city }) } });
const EXACT: Grader = { kind: 'exact' };
const TEN = Array.from({ length: 10 }, (_, n) => line(`Question ${n}`, `Answer ${n}`));
const rightAnswer = (text: string): string => text.replace('Question', 'Answer');

describe('an evaluation', () => {
  it('grades each answer of each deployment, and says how certain that is', async () => {
    const given = await stage.dataset(TEN);
    const suite = await stage.suite(given, [
      EXACT,
      { kind: 'contains', text: 'answer', ignore_case: true },
      { kind: 'regex', pattern: '^Answer \\d$' },
    ]);
    stage.say.set(1, (body) => (lastOf(body).endsWith('3') ? 'I do not know.' : rightAnswer(lastOf(body))));
    stage.say.set(2, (body) => (lastOf(body).endsWith('3') ? 'Answer 3' : 'I do not know.'));
    const view = await stage.run(given.account, suite, [1, 2]);
    expect(view).toMatchObject({ state: 'succeeded', items: 10, done: 20, total: 20, reason: null, text_deleted: false });
    const [base, tuned] = view.results;
    expect(base?.graders).toMatchObject([0, 1, 2].map((grader) => ({ grader, passed: 9, of: 10, delta: null })));
    expect(tuned?.graders).toMatchObject(
      [0, 1, 2].map((grader) => ({ grader, passed: 1, of: 10, delta: { points: -80, better: 1, worse: 9, is_certain: true } })),
    );
    expect([base?.answered, base?.failed]).toEqual([10, 0]);
    const { items, matching } = await rig.ask(ReadEvaluationItems, {
      account: given.account,
      evaluation: view.id,
      filter: 'worse',
      limit: 3,
    });
    expect([matching, items.length, items[0]?.answers[1]]).toMatchObject([9, 3, { text: 'I do not know.', passed: [false, false, false] }]);
    expect(items[0]?.prompt).toMatch(/^user: Question \d$/);
    const differing = await rig.ask(ReadEvaluationItems, { account: given.account, evaluation: view.id, filter: 'differs', after: 8 });
    expect([differing.matching, differing.items.length, differing.next]).toEqual([10, 2, null]);
    const { evaluations } = await rig.ask(ListEvaluations, { account: given.account });
    expect(evaluations).toMatchObject([{ id: view.id, results: [{}, { graders: [{ passed: 1 }, {}, {}] }] }]);
    expect(stage.asked.every(({ temperature, max_tokens }) => temperature === 0 && max_tokens === 64)).toBe(true);
  });

  it('grades tool calls, JSON, lengths and degenerate answers', async () => {
    const messages = [
      { role: 'user', content: 'Time in Oslo?' },
      { role: 'assistant', content: '', tool_calls: [call('Oslo')] },
    ];
    const given = await stage.dataset([{ tools: [tool], messages }, line('JSON?', '{"a": 1}')]);
    const schema = { type: 'object', properties: { a: { type: 'integer' } }, required: ['a'] };
    const suite = await stage.suite(given, [
      ...[{ kind: 'tool_call' } as const, { kind: 'json_schema', schema } as const],
      ...[{ kind: 'length', max: 20 } as const, { kind: 'degenerate' } as const],
    ]);
    const called = (city: string): object => ({ role: 'assistant', content: null, tool_calls: [call(city)] });
    stage.say.set(1, (body) => (lastOf(body) === 'JSON?' ? '{"a": 2}' : { message: called('Oslo') }));
    stage.say.set(2, (body) =>
      lastOf(body) === 'JSON?' ? `{"a": "${'codeded'.repeat(4)}"}` : { message: called('Bergen'), finish: 'length' },
    );
    const { id, results } = await stage.run(given.account, suite, [1, 2]);
    expect(results.map(({ graders }) => graders.map(({ passed }) => passed))).toEqual([
      [2, 1, 2, 2],
      [1, 0, 1, 0],
    ]);
    const { items } = await rig.ask(ReadEvaluationItems, { account: given.account, evaluation: id, filter: 'failed', grader: 0 });
    expect(items).toMatchObject([
      { reference: 'time({"city":"Oslo"})', answers: [{ text: '' }, { tool_calls: expect.stringContaining('Bergen') }] },
    ]);
  });

  it('fails an answer on which an expression takes too long, and goes on', async () => {
    const given = await stage.dataset([line('Go', 'x'), line('Again', 'x')]);
    const suite = await stage.suite(given, [{ kind: 'regex', pattern: '^(a+)+$' }]);
    stage.say.set(1, (body) => (lastOf(body) === 'Go' ? `${'a'.repeat(60)}!` : 'aaa'));
    const view = await stage.run(given.account, suite, [1]);
    expect(view.results).toMatchObject([{ answered: 2, graders: [{ passed: 1, of: 2 }] }]);
  });

  it('counts what a deployment refuses as failed, and repeats what is busy', async () => {
    const given = await stage.dataset(TEN.slice(0, 3));
    const suite = await stage.suite(given, [EXACT]);
    let busy = 2;
    stage.say.set(1, (body) => {
      if (lastOf(body) === 'Question 1') return refusal(400, 'context_length_exceeded');
      if ((busy -= 1) >= 0) return refusal(busy === 0 ? 429 : 503, 'overloaded', { 'retry-after': '0' });
      return rightAnswer(lastOf(body));
    });
    const { id, results } = await stage.run(given.account, suite, [1]);
    expect(results).toMatchObject([{ answered: 2, failed: 1, graders: [{ passed: 2, of: 3 }] }]);
    const { items } = await rig.ask(ReadEvaluationItems, { account: given.account, evaluation: id, filter: 'failed' });
    expect(items).toMatchObject([{ answers: [{ text: null, error: 'context_length_exceeded' }] }]);
  });

  it('fails when a deployment is stopped, and says which', async () => {
    const given = await stage.dataset(TEN);
    const suite = await stage.suite(given, [EXACT]);
    stage.say.set(1, () => refusal(409, 'deployment_stopped'));
    expect(await stage.run(given.account, suite, [1])).toMatchObject({
      state: 'failed',
      reason: 'deployment_stopped',
      detail: expect.stringContaining('deployment-1'),
    });
  });

  it('is cancelled in the middle, and keeps what it has', async () => {
    const given = await stage.dataset(TEN);
    const suite = await stage.suite(given, [EXACT]);
    stage.say.set(1, (body) => (lastOf(body) === 'Question 9' ? { steps: [{ hang: true }] } : rightAnswer(lastOf(body))));
    const { account } = given;
    const evaluation = await stage.evaluation(account, suite, [1]);
    await stage.seen(account, evaluation, 'has nine answers', ({ done }) => done === 9);
    expect((await rig.outcome(DeleteEvaluation, { account, evaluation })).code).toBe('evaluation_running');
    for (let i = 0; i < 2; i += 1) expect((await rig.ask(CancelEvaluation, { account, evaluation })).state).toBe('cancelled');
    expect(await stage.view(account, evaluation)).toMatchObject({ state: 'cancelled', done: 9, results: [{ graders: [{ passed: 9 }] }] });
    const next = await stage.suite(given, [EXACT], { sample: 3 });
    stage.say.set(1, () => 'no');
    const other = await stage.run(account, next, [1]);
    expect([other.state, other.items]).toEqual(['succeeded', 3]);
    expect((await rig.outcome(CancelEvaluation, { account, evaluation: other.id })).code).toBe('evaluation_finished');
    await rig.ask(DeleteEvaluation, { account, evaluation });
    expect((await rig.ask(ListEvaluations, { account })).evaluations.map(({ id }) => id)).toEqual([other.id]);
  });

  it('loses its text with its data set, and keeps its figures', async () => {
    const given = await stage.dataset(TEN);
    const { account, dataset } = given;
    const suite = await stage.suite(given, [EXACT]);
    stage.say.set(1, (body) => rightAnswer(lastOf(body)));
    const { id } = await stage.run(account, suite, [1]);
    await rig.ask(DeleteDataset, { account, dataset });
    expect(await stage.view(account, id)).toMatchObject({ text_deleted: true, results: [{ graders: [{ passed: 10 }] }] });
    expect((await rig.ask(ReadEvaluationItems, { account, evaluation: id })).items).toEqual([]);
    expect((await rig.ask(FindSuite, { account, suite })).suite.source_deleted).toBe(true);
    expect((await rig.outcome(CreateEvaluation, { account, suite, deployments: [1] as never })).code).toBe('dataset_not_found');
  });

  it('is made once for an idempotency key, within its quotas', async () => {
    const given = await stage.dataset(TEN);
    const { account, dataset } = given;
    const request = { account, name: 'once', dataset, graders: [EXACT], idempotency_key: 'k1' };
    const first = await rig.ask(CreateSuite, request);
    expect(await rig.ask(CreateSuite, request)).toEqual(first);
    expect((await rig.outcome(CreateSuite, { ...request, idempotency_key: 'k2' })).code).toBe('name_taken');
    expect(
      (await rig.outcome(CreateSuite, { ...request, name: 'bad', idempotency_key: 'k3', graders: [{ kind: 'regex', pattern: '(' }] })).code,
    ).toBe('invalid_request');
    const created = { account, suite: 'once', deployments: [1] as never, idempotency_key: 'e1' };
    expect(await rig.ask(CreateEvaluation, created)).toEqual(await rig.ask(CreateEvaluation, created));
    const judged = await stage.suite(given, [{ kind: 'judge', deployment: 3 as never, rubric: 'Which is right?' }]);
    const many = { account, suite: judged, deployments: [1, 2, 3, 4] as never };
    expect((await rig.ask(CreateEvaluation, many)).evaluation).toBeGreaterThan(0);
    expect((await rig.outcome(CreateEvaluation, many)).code).toBe('quota_exceeded');
    expect((await rig.outcome(CreateEvaluation, { account, suite: 'once', deployments: [8] as never })).code).toBe('deployment_not_found');
    const { suites } = await rig.ask(ListSuites, { account });
    expect(suites.map(({ name, evaluations }) => [name, evaluations])).toContainEqual(['once', 1]);
    await rig.ask(DeleteSuite, { account, suite: judged });
    expect((await rig.ask(ListEvaluations, { account })).evaluations.some(({ suite }) => suite === null)).toBe(true);
    const { entries } = await rig.ask(ListTuningAudit, { account, action: 'suite' });
    expect(entries.map(({ action }) => action)).toEqual(['suite.delete', 'suite.create', 'suite.create']);
  });
});
