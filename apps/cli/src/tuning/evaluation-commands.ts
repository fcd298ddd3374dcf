import { setTimeout as delay } from 'node:timers/promises';
import {
  CancelEvaluation,
  CreateEvaluation,
  CreateSuite,
  DeleteSuite,
  type DeploymentId,
  deploymentSlug,
  EvaluationId,
  type EvaluationView,
  FindEvaluation,
  FindSuite,
  type Grader,
  ListEvaluations,
  ListSuites,
  SetSuiteGate,
  type SuiteView,
  TuningName,
} from '@slipway/contracts';
import { Argument, Option } from 'commander';
import { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { CliError } from '../cli-errors.js';
import { ACCOUNT, type Answer, type Call, command, confirmation, group, YES } from '../command.js';
import { type DeploymentReference, deploymentReference, findDeployment } from '../deployments/deployment-name.js';
import { WAIT_OPTIONS, waitOf, type WaitValues } from '../deployments/wait-for-deployment.js';
import type { Account, Session } from '../session/session.js';
import { type Cell, fields, table, tableOr } from '../table.js';
import { checkedBy, whole } from '../values.js';
import { readGrader, resultRows } from './evaluation-text.js';
import { ADAPTER, DATASET, type DatasetReference, findAdapter } from './tuning-names.js';

const ASK_EACH_MS = 500;
const TITLES = ['DEPLOYMENT', 'GRADER', 'PASSED', 'SHARE', 'AGAINST THE BASELINE'];

const SUITE = new Argument('<SUITE>', 'name of a suite').argParser(checkedBy(TuningName));
const EVALUATION = new Argument('<EVALUATION>', 'number of an evaluation').argParser(whole(EvaluationId));

const isOver = ({ state }: EvaluationView): boolean => state !== 'queued' && state !== 'running';

/** Waits until it is over. @throws CliError `timeout`, or `evaluation_failed` with the reason */
async function untilEvaluated(session: Session, account: Account, id: EvaluationId, withinMs: number): Promise<EvaluationView> {
  const end = performance.now() + withinMs;
  for (;;) {
    const { evaluation } = await session.call(FindEvaluation, { account: account.id, evaluation: id });
    const { state, done, total, reason, detail } = evaluation;
    if (isOver(evaluation)) session.terminal.clearStatus();
    else session.terminal.status(`${state}: ${done} of ${total}${detail === null ? '' : `: ${detail}`}`);
    if (state === 'succeeded') return evaluation;
    if (isOver(evaluation))
      throw new CliError('evaluation_failed', `Evaluation ${id} has ${state}${detail === null ? '.' : `: ${detail}`}`, {
        reason: reason ?? state,
      });
    if (performance.now() > end) throw new CliError('timeout', `Evaluation ${id} is ${state} still: ${done} of ${total}.`);
    await delay(ASK_EACH_MS);
  }
}

/** An evaluation as a command prints it. */
const shown = (view: EvaluationView): string => {
  const facts = fields([
    ['Evaluation', view.id],
    ['Suite', `${view.suite_name}, of ${view.dataset_name}@${view.version}`],
    ['State', view.detail === null ? view.state : `${view.state}: ${view.detail}`],
    ['Answers and verdicts', `${view.done} of ${view.total}`],
    ['Created', view.created_at],
  ]);
  const rows = resultRows(view);
  return rows.length === 0 ? facts : `${facts}\n\n${table(TITLES, rows)}`;
};

interface Wanted {
  readonly account: Account;
  readonly suite: z.output<typeof TuningName>;
  /** The baseline first. */
  readonly deployments: DeploymentId[];
  /** Null = does not wait. */
  readonly withinMs: number | null;
}

/** Starts an evaluation, and waits for it where that is wanted. */
async function started(session: Session, { account, suite, deployments, withinMs }: Wanted): Promise<Answer> {
  const { evaluation } = await session.call(CreateEvaluation, { account: account.id, suite, deployments });
  if (withinMs === null) return { json: { account: account.slug, evaluation }, text: `Evaluation ${evaluation} is queued.` };
  const view = await untilEvaluated(session, account, evaluation, withinMs);
  return { json: { account: account.slug, ...view }, text: shown(view) };
}

const run = command('run', 'Asks deployments the conversations of a suite, and compares them with the first one.')
  .addArgument(SUITE)
  .addArgument(new Argument('<BASELINE>', 'the deployment that the others are compared with').argParser(deploymentReference))
  .argument('[DEPLOYMENT...]', 'the others: slug, number or alias')
  .takes(...WAIT_OPTIONS, ACCOUNT)
  .examples('evals run support demo deployment-7 --wait')
  .plans(({ options }: Call<WaitValues>, suite: z.output<typeof TuningName>, baseline: DeploymentReference, others: readonly string[]) => {
    const withinMs = waitOf(options);
    const references = [baseline, ...others.map(deploymentReference)];
    return async (session) => {
      const account = await findAccount(session);
      const found = await Promise.all(references.map((reference) => findDeployment(session, reference)));
      const deployments = found.map(({ view }) => view.id);
      return started(session, { account, suite, deployments, withinMs });
    };
  });

interface AdapterValues extends WaitValues {
  readonly suite: z.output<typeof TuningName>;
  readonly against: DeploymentReference;
}

/** `npx slipway adapters eval …`. */
export const evaluateAdapter = command('eval', 'Compares a deployment of an adapter with a baseline, by a suite.')
  .addArgument(ADAPTER)
  .addOption(new Option('--suite <SUITE>', 'the suite').argParser(checkedBy(TuningName)).makeOptionMandatory())
  .addOption(
    new Option('--against <DEPLOYMENT>', 'the baseline: a deployment of the base, or of the version that is served now')
      .argParser(deploymentReference)
      .makeOptionMandatory(),
  )
  .takes(...WAIT_OPTIONS, ACCOUNT)
  .plans(({ options }: Call<AdapterValues>, reference: DatasetReference) => {
    const withinMs = waitOf(options);
    return async (session) => {
      const { account, adapter } = await findAdapter(session, reference);
      const baseline = (await findDeployment(session, options.against)).view.id;
      const served = adapter.deployments.find((one) => one !== baseline);
      const called = `${adapter.name}@${adapter.version}`;
      if (served === undefined)
        throw new CliError('adapter_not_served', `No other deployment serves ${called}: npx slipway adapters serve ${called}`);
      return started(session, { account, suite: options.suite, deployments: [baseline, served], withinMs });
    };
  });

const listRow = (view: EvaluationView): Cell[] => [
  ...[view.id, view.suite_name, view.state, `${view.done} of ${view.total}`],
  ...[view.deployments.map(({ deployment }) => deploymentSlug(deployment)).join(' '), view.created_at],
];

const list = command('list', 'Lists the newest evaluations of an account.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const { evaluations, next } = await session.call(ListEvaluations, { account: account.id });
    const titles = ['EVALUATION', 'SUITE', 'STATE', 'DONE', 'DEPLOYMENTS', 'CREATED'];
    return {
      json: { account: account.slug, evaluations },
      text: tableOr(`No evaluations in account ${account.slug}.`, titles, evaluations.map(listRow)),
      note: next === null ? undefined : 'There are older ones, which the console shows.',
    };
  });

const show = command('show', 'Shows an evaluation with its results.')
  .addArgument(EVALUATION)
  .takes(ACCOUNT)
  .plans((_, id: EvaluationId) => async (session) => {
    const account = await findAccount(session);
    const { evaluation } = await session.call(FindEvaluation, { account: account.id, evaluation: id });
    return { json: { account: account.slug, ...evaluation }, text: shown(evaluation) };
  });

const cancel = command('cancel', 'Ends an evaluation; the answers that it has stay.')
  .addArgument(EVALUATION)
  .takes(YES, ACCOUNT)
  .plans((call: Call<{ yes?: true }>, id: EvaluationId) => {
    const confirmed = confirmation(call);
    return async (session) => {
      const account = await findAccount(session);
      await confirmed(`evaluation ${id}`, String(id));
      const { state } = await session.call(CancelEvaluation, { account: account.id, evaluation: id });
      return { json: { account: account.slug, evaluation: id, state }, text: `Cancelled evaluation ${id}.` };
    };
  });

interface SuiteValues {
  readonly grader: readonly Grader[];
  readonly items?: number;
}

const create = command('create', 'Makes a suite: what deployments are asked, and how their answers are graded.')
  .addArgument(SUITE)
  .addArgument(DATASET)
  .addOption(
    new Option(
      '--grader <GRADER>',
      'exact, contains[:TEXT], regex:PATTERN, json_schema:SCHEMA, tool_call, degenerate, length:LEAST..MOST, judge:DEPLOYMENT:RUBRIC, people; repeatable',
    )
      .argParser((text: string, before: readonly Grader[] | undefined) => [...(before ?? []), readGrader(text)])
      .makeOptionMandatory(),
  )
  .addOption(new Option('--items <COUNT>', 'conversations to ask (default: 100)').argParser(whole(z.int().min(1).max(500))))
  .takes(ACCOUNT)
  .examples('evals suites create support support-questions --grader exact --grader degenerate')
  .plans(
    ({ options }: Call<SuiteValues>, name: z.output<typeof TuningName>, { name: dataset, version }: DatasetReference) =>
      async (session) => {
        const account = await findAccount(session);
        const asked = { dataset, ...(version !== undefined && { version }), ...(options.items !== undefined && { sample: options.items }) };
        const { suite } = await session.call(CreateSuite, { account: account.id, name, ...asked, graders: [...options.grader] });
        return { json: { account: account.slug, suite, name }, text: `Made the suite ${name}.` };
      },
  );

const suiteRow = ({ name, dataset_name: dataset, version, sample, graders, gate, evaluations }: SuiteView): Cell[] => [
  ...[name, `${dataset}@${version}`, sample, graders.map(({ kind }) => kind).join(' '), gate?.adapter ?? null, evaluations],
];

const listSuites = command('list', 'Lists the suites of an account.')
  .takes(ACCOUNT)
  .plans(() => async (session) => {
    const account = await findAccount(session);
    const { suites } = await session.call(ListSuites, { account: account.id });
    const titles = ['SUITE', 'DATA SET', 'ITEMS', 'GRADERS', 'GATE OF', 'EVALUATIONS'];
    return {
      json: { account: account.slug, suites },
      text: tableOr(`No suites in account ${account.slug}.`, titles, suites.map(suiteRow)),
    };
  });

interface GateValues {
  readonly adapter?: z.output<typeof TuningName>;
  readonly points?: number;
}

const gate = command('gate', 'Makes a suite the gate of an adapter, or ends that when no adapter is named.')
  .addArgument(SUITE)
  .addOption(
    new Option('--adapter <NAME>', 'every version of it must pass the suite before an alias may point at it').argParser(
      checkedBy(TuningName),
    ),
  )
  .addOption(
    new Option('--points <POINTS>', 'percentage points that each grader may lose (default: 0)').argParser(whole(z.int().min(0).max(100))),
  )
  .takes(ACCOUNT)
  .plans(({ options }: Call<GateValues>, name: z.output<typeof TuningName>) => async (session) => {
    const account = await findAccount(session);
    const { suite } = await session.call(FindSuite, { account: account.id, suite: name });
    const wanted = options.adapter === undefined ? null : { adapter: options.adapter, points: options.points ?? 0 };
    await session.call(SetSuiteGate, { account: account.id, suite: suite.id, gate: wanted });
    const text = wanted === null ? `${name} is no gate.` : `Every version of ${wanted.adapter} must pass ${name}.`;
    return { json: { account: account.slug, suite: name, gate: wanted }, text };
  });

const removeSuite = command('rm', 'Deletes a suite; its evaluations stay.')
  .addArgument(SUITE)
  .takes(YES, ACCOUNT)
  .plans((call: Call<{ yes?: true }>, name: z.output<typeof TuningName>) => {
    const confirmed = confirmation(call);
    return async (session) => {
      const account = await findAccount(session);
      const { suite } = await session.call(FindSuite, { account: account.id, suite: name });
      await confirmed(`the suite ${name}`, name);
      await session.call(DeleteSuite, { account: account.id, suite: suite.id });
      return { json: { account: account.slug, suite: name }, text: `Deleted the suite ${name}.` };
    };
  });

/** `npx slipway evals …`. */
export const evals = group('evals', 'Evaluates deployments by suites of conversations and graders.', [
  ...[run, list, show, cancel],
  group('suites', 'Makes, lists and deletes suites, and makes them gates.', [create, listSuites, gate, removeSuite]),
]);
