import { deploymentSlug, type Grader, ListEvaluations, RollBackRollout, type RolloutView, StartRollout } from '@slipway/contracts';
import { chatStream, startTestPostgres, type TestPostgres, type UpstreamRequest } from '@slipway/testing';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { until } from '../../testing/until.js';
import type { TestService } from '../../services/test-service.js';
import { type ChatBody, EvaluationsStage, lastOf, line } from '../../tuning/evaluations-stage.js';
import { TuningRig } from '../../tuning/rig.js';
import { RolloutRig } from '../rollout-rig.js';

let rig: RolloutRig;
let postgres: TestPostgres;
let tuning: TuningRig;
let stage: EvaluationsStage;
let replica: TestService;
let suite: Awaited<ReturnType<EvaluationsStage['suite']>>;

/** What the judge waits for before it speaks. */
let judging: Promise<void> = Promise.resolve();

const likes = (text: string): number => Number(text.includes('kind')) - Number(text.includes('rude'));

/** Each deployment answers with the name of its model; the judge likes what is kind, and dislikes what is rude. */
function answer({ body, path }: UpstreamRequest): ReturnType<typeof chatStream> {
  if (path.endsWith('/models')) return { steps: [] };
  const chat = body as ChatBody;
  if (chat.model !== 'judge') return chatStream([`A ${chat.model} answer.`]);
  const [, first = '', second = ''] = lastOf(chat).split(/<<<(?:FIRST|SECOND) ANSWER/);
  const winner = ['second', 'tie', 'first'][Math.sign(likes(first) - likes(second)) + 1];
  const { steps } = chatStream([JSON.stringify({ winner })]);
  return { steps: [{ until: judging }, ...steps] };
}

const startTuning = (): Promise<TestService> => tuning.startReplica({ GATEWAY_URL: rig.gateways[0] ?? '' });

beforeAll(async () => {
  rig = await RolloutRig.start(1);
  rig.services.upstream.answer = answer;
  postgres = await startTestPostgres();
  tuning = await TuningRig.open(postgres, rig.services.bus);
  stage = EvaluationsStage.besides(tuning);
  replica = await startTuning();
  const questions = Array.from({ length: 10 }, (_, n) => line(`Question ${n}`, `Answer ${n}`));
  const judge: Grader = { kind: 'judge', deployment: await rig.candidate('judge'), rubric: 'Which one is more polite?' };
  suite = await stage.suite(await stage.dataset(questions, rig.tenant.account), [judge]);
}, 180_000);
afterEach(async () => {
  await rig?.rest();
  await rig.services.command(RollBackRollout, rig.named).catch(() => undefined);
});
afterAll(async () => {
  await tuning?.close();
  await rig?.end();
  await postgres?.stop();
}, 60_000);

const start = async (candidate: RolloutView['candidate'], more: object): Promise<RolloutView> =>
  (await rig.services.command(StartRollout, { ...rig.named, candidate, steps: [50], suite, ...more })).rollout;
const ends = (state: RolloutView['state']): Promise<RolloutView> =>
  until(`the rollout is ${state}`, async () => ((await rig.rollout()).state === state ? rig.rollout() : null), 60_000);

it('a candidate that the judge dislikes is taken back unaided', async () => {
  const candidate = await rig.candidate('rude');
  let speak = (): void => undefined;
  judging = new Promise((resolve) => (speak = resolve));
  const begun = await start(candidate, { minutes: 60 }).finally(speak);
  expect(begun).toMatchObject({ percent: 50, waits_for: 'suite', suite: { suite, state: 'running' } });
  const { reason, suite: said } = await ends('rolled_back');
  expect(said).toMatchObject({ state: 'worse', detail: reason, figures: [{ grader: 'judge', value: 0, items: 10, is_worse: true }] });
  expect(reason).toContain('the judge prefers the candidate in 0 % of 10 items (95 %: 0 to 27.8 %)');
  const { account } = rig.tenant;
  const { evaluations } = await tuning.ask(ListEvaluations, { account });
  const compared = evaluations.map(({ id, deployments }) => [id, deployments.map(({ deployment }) => deployment)]);
  expect(compared).toEqual([[said?.evaluation, [rig.tenant.deployment, candidate]]]);
}, 180_000);

it('a candidate that the judge likes goes on', async () => {
  const candidate = await rig.candidate('kind');
  rig.load();
  await start(candidate, { minutes: 0.01, guard: { requests: 10, checks: [] } });
  const { suite: said } = await ends('promoted');
  expect(said).toMatchObject({ state: 'passed', figures: [{ grader: 'judge', value: 100, items: 10, is_worse: false }] });
  await rig.answered(deploymentSlug(candidate), 20);
}, 180_000);

it('a candidate waits while tuning-service is away', async () => {
  await replica.end();
  const candidate = await rig.candidate('gentle');
  rig.load();
  const begun = await start(candidate, { minutes: 0.01, guard: { requests: 10, checks: [] } });
  expect(begun.suite).toMatchObject({ state: 'waiting', evaluation: null, detail: 'tuning-service does not answer.' });
  await rig.answered(deploymentSlug(candidate), 20);
  expect(await rig.rollout()).toMatchObject({ state: 'running', percent: 50, waits_for: 'suite' });
  replica = await startTuning();
  expect((await ends('promoted')).suite).toMatchObject({ state: 'passed' });
}, 180_000);
