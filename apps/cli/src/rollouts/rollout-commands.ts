import {
  AdvanceRollout,
  deploymentSlug,
  FindRollout,
  FindSuite,
  ListRollouts,
  PromoteRollout,
  ROLLOUT_CHECKS,
  RollBackRollout,
  type RolloutSide,
  type RolloutView,
  StartRollout,
  TuningName,
} from '@slipway/contracts';
import { Argument, Option } from 'commander';
import type { z } from 'zod';
import { findAccount } from '../accounts/find-account.js';
import { UsageError } from '../cli-errors.js';
import { ACCOUNT, type Answer, type Call, command, group } from '../command.js';
import {
  accountOf,
  type AliasReference,
  aliasReference,
  type DeploymentReference,
  deploymentReference,
  findDeployment,
} from '../deployments/deployment-name.js';
import { type Cell, fields, table, tableOr } from '../table.js';
import { checkedBy, whole } from '../values.js';

const ALIAS = new Argument('<ALIAS>', 'its name, with or without the account: demo, local/demo').argParser(aliasReference);
const CANDIDATE = new Argument('<CANDIDATE>', 'the deployment that it moves to').argParser(deploymentReference);
const OVERRIDE = new Option('--override <REASON>', 'although its adapter did not pass its gate; kept in the audit log');

const { steps: Steps, minutes: Minutes, guard: Guard } = StartRollout.request.shape;
const Requests = Guard.unwrap().shape.requests.unwrap();

/** `5,25,50,100` as numbers. */
function stepsOf(text: string): number[] {
  const parsed = Steps.safeParse(text.split(',').map(Number));
  if (parsed.success && parsed.data) return parsed.data;
  throw new UsageError('It takes rising percentages from 1 to 100, separated by commas: 5,25,50,100.');
}

function minutesOf(text: string): number {
  const parsed = Minutes.safeParse(Number(text));
  if (parsed.success && typeof parsed.data === 'number') return parsed.data;
  throw new UsageError('It takes minutes from 0.01 to 43200.');
}

type Check = (typeof ROLLOUT_CHECKS)[number];

/** `errors,cut` as checks; `none` = none. */
function checksOf(text: string): Check[] {
  if (text === 'none') return [];
  const words = text.split(',');
  const isCheck = (word: string): word is Check => ROLLOUT_CHECKS.some((check) => check === word);
  if (words.every(isCheck)) return words;
  throw new UsageError(`It takes some of ${ROLLOUT_CHECKS.join(', ')}, separated by commas, or none.`);
}

const WAITS: Readonly<Record<string, string>> = {
  time: 'the end of its minutes',
  requests: 'more requests of the candidate',
  figures: 'figures of the ledger',
  suite: 'the evaluation by its suite',
  person: '"slipway rollouts advance"',
};

const spread = (side: RolloutSide['answer_tokens']): Cell => side && `${side.p50} / ${side.p95}`;
const sideRows = ({ stable, candidate }: NonNullable<RolloutView['figures']>): Cell[][] => [
  ['requests', stable.requests, candidate.requests],
  ['failed', stable.errors, candidate.errors],
  ['cut at the token limit', stable.cut, candidate.cut],
  ['ms to first token, p50 / p95', spread(stable.first_token_ms), spread(candidate.first_token_ms)],
  ['tokens of an answer, p50 / p95', spread(stable.answer_tokens), spread(candidate.answer_tokens)],
];

type Suite = NonNullable<RolloutView['suite']>;

/** How far the evaluation of the candidate is, or what it says. */
const suiteText = ({ evaluation, state, detail, done, total }: Suite): string =>
  [
    `${state}${state === 'running' ? `, ${done} of ${total} answers` : ''}`,
    ...(evaluation === null ? [] : [`evaluation ${evaluation}`]),
    ...(detail === null ? [] : [detail]),
  ].join('; ');

const suiteRows = ({ figures }: Suite): Cell[][] =>
  figures.map(({ grader, unit, value, low, high, items, is_worse: isWorse }) => [
    grader,
    unit === 'wins' ? `${value} % wins` : `${value} points`,
    `${low} to ${high}`,
    items,
    isWorse ? 'worse' : 'not worse',
  ]);

const shareText = ({ percent, state }: RolloutView): string => `${percent} % (${state.replace('_', ' ')})`;

function described(account: string, rollout: RolloutView): Answer {
  const { alias, stable, candidate, steps, minutes, guard, reason, waits_for: waits, since, figures, suite } = rollout;
  const facts = fields([
    ['Alias', `${account}/${alias}`],
    ['Stable', deploymentSlug(stable)],
    ['Candidate', `${deploymentSlug(candidate)}, ${shareText(rollout)}`],
    ['Steps', `${steps.join(', ')} %, ${minutes === null ? 'by hand' : `${minutes} minutes each`}`],
    ['Guard', guard.checks.length === 0 ? 'compares nothing' : `${guard.checks.join(', ')}, from ${guard.requests} requests on`],
    ['Suite', suite ? suiteText(suite) : null],
    ['Since', since],
    ['Waits for', waits === null ? null : (WAITS[waits] ?? waits)],
    ['Reason', reason],
  ]);
  const sides = figures && table(['SINCE THE STEP BEGAN', 'STABLE', 'CANDIDATE'], sideRows(figures));
  const graded =
    suite && suite.figures.length > 0 ? table(['GRADER', 'AGAINST STABLE', '95 %', 'ITEMS', 'VERDICT'], suiteRows(suite)) : null;
  const text = [facts, sides, graded].filter((part) => part !== null).join('\n\n');
  return { json: { account, ...rollout }, text };
}

interface StartValues {
  readonly steps?: number[];
  readonly minutes?: number;
  readonly byHand?: true;
  readonly requests?: number;
  readonly checks?: Check[];
  readonly suite?: z.output<typeof TuningName>;
  readonly override?: string;
}

const start = command('start', 'Moves an alias to another deployment in steps.', 'A guard takes a worse candidate back by itself.')
  .addArgument(ALIAS)
  .addArgument(CANDIDATE)
  .addOption(new Option('--steps <PERCENT,…>', 'shares of the candidate (default: 5,25,50,100)').argParser(stepsOf))
  .addOption(new Option('--minutes <N>', 'minutes of each step (default: 10)').argParser(minutesOf))
  .option('--by-hand', 'takes steps only by "advance"')
  .addOption(new Option('--requests <N>', 'requests of the candidate before it is judged (default: 50)').argParser(whole(Requests)))
  .addOption(new Option('--checks <CHECK,…>', 'what the guard compares (default: all; none)').argParser(checksOf))
  .addOption(new Option('--suite <SUITE>', 'evaluates the candidate by this suite before the next step').argParser(checkedBy(TuningName)))
  .takes(OVERRIDE, ACCOUNT)
  .examples(
    'rollouts start demo deployment-8',
    'rollouts start demo deployment-8 --suite support',
    'rollouts start demo deployment-8 --steps 10,50 --minutes 60',
  )
  .plans(({ options }: Call<StartValues>, { account: named, alias }: AliasReference, reference: DeploymentReference) => {
    const { steps, minutes, byHand, requests, checks, suite: name, override } = options;
    if (byHand && minutes !== undefined) throw new UsageError('Name either --minutes or --by-hand.');
    const settings = { steps, minutes: byHand ? null : minutes, guard: { requests, checks }, override };
    return async (session) => {
      const { account, view } = await findDeployment(session, { ...reference, account: reference.account ?? named });
      const suite = name === undefined ? undefined : (await session.call(FindSuite, { account: account.id, suite: name })).suite.id;
      const request = { account: account.id, alias, candidate: view.id, ...settings, suite };
      return described(account.slug, (await session.call(StartRollout, request)).rollout);
    };
  });

const show = command('show', 'Shows the newest rollout of an alias, with figures of both sides; without an alias all of them.')
  .addArgument(new Argument('[ALIAS]', 'its name, with or without the account').argParser(aliasReference))
  .takes(ACCOUNT)
  .plans((_, reference: AliasReference | undefined) => async (session) => {
    if (reference !== undefined) {
      const account = await accountOf(session, reference.account);
      return described(account.slug, (await session.call(FindRollout, { account: account.id, alias: reference.alias })).rollout);
    }
    const account = await findAccount(session);
    const { rollouts: all } = await session.call(ListRollouts, { account: account.id });
    const rows = all.map((one) => [
      `${account.slug}/${one.alias}`,
      deploymentSlug(one.stable),
      deploymentSlug(one.candidate),
      shareText(one),
      one.since,
    ]);
    const text = tableOr(`No rollouts in account ${account.slug}.`, ['ALIAS', 'STABLE', 'CANDIDATE', 'SHARE', 'SINCE'], rows);
    return { json: { account: account.slug, rollouts: all }, text };
  });

const advance = command('advance', 'Takes the next step at once; after the last one the candidate is promoted.')
  .addArgument(ALIAS)
  .takes(ACCOUNT)
  .plans((_, { account: named, alias }: AliasReference) => async (session) => {
    const account = await accountOf(session, named);
    return described(account.slug, (await session.call(AdvanceRollout, { account: account.id, alias })).rollout);
  });

const promote = command('promote', 'Points the alias at the candidate; the former deployment stays.')
  .addArgument(ALIAS)
  .takes(OVERRIDE, ACCOUNT)
  .plans(
    ({ options: { override } }: Call<{ readonly override?: string }>, { account: named, alias }: AliasReference) =>
      async (session) => {
        const account = await accountOf(session, named);
        return described(account.slug, (await session.call(PromoteRollout, { account: account.id, alias, override })).rollout);
      },
  );

const back = command('back', 'Sends all requests to the stable deployment, also after a promotion.')
  .addArgument(ALIAS)
  .option('--reason <TEXT>', 'why; kept in the audit log')
  .takes(ACCOUNT)
  .plans(({ options: { reason } }: Call<{ readonly reason?: string }>, { account: named, alias }: AliasReference) => async (session) => {
    const account = await accountOf(session, named);
    return described(account.slug, (await session.call(RollBackRollout, { account: account.id, alias, reason })).rollout);
  });

export const rollouts = group('rollouts', 'Moves aliases to other deployments in steps.', [start, show, advance, promote, back]);
