import {
  AdvanceRollout,
  deploymentSlug,
  FindRollout,
  FindSuite,
  PromoteRollout,
  ROLLOUT_CHECKS,
  ROLLOUT_STEPS,
  RollBackRollout,
  type RolloutSide,
  type RolloutView,
  ServiceError,
  StartRollout,
  type SuiteId,
  TuningName,
} from '@slipway/contracts';
import { z } from 'zod';
import { aliasInput, deploymentIdOf, DeploymentRef, readAlias, requireConfirmation } from '../deployment-reference.js';
import { defineTool, knownFields, READS, type ToolCall } from '../mcp-tool.js';
import { requireAgreement } from '../person.js';

const Side = z.object({
  slug: z.string(),
  requests: z.int(),
  errors: z.int().describe('Requests that failed by a fault of the servers.'),
  cut: z.int().describe('Answers that ended at their token limit, as loops do.'),
  first_token_ms_p50: z.number().optional(),
  first_token_ms_p95: z.number().optional(),
  answer_tokens_p50: z.number().optional(),
  answer_tokens_p95: z.number().optional(),
});

const Suite = z.object({
  state: z.string().describe('waiting, running, passed, worse or failed; steps follow by themselves once it has passed.'),
  evaluation: z.int().optional().describe('Number of the evaluation: get_evaluation shows it.'),
  detail: z.string().optional(),
  done: z.int(),
  total: z.int(),
  figures: z
    .array(
      z.object({
        grader: z.string(),
        unit: z.string().describe('points: candidate less stable. wins: percent of wins among wins and losses.'),
        ...{ value: z.number(), low: z.number(), high: z.number(), items: z.int() },
        is_worse: z.boolean().describe('The whole 95 % interval speaks against the candidate.'),
      }),
    )
    .describe('Of each grader, with its 95 % interval.'),
});

const ShownRollout = z.object({
  alias: z.string(),
  state: z.enum(['running', 'promoted', 'rolled_back']),
  stable: z.string(),
  candidate: z.string(),
  candidate_percent: z.int().describe('Share of the conversations that the candidate answers.'),
  steps: z.array(z.int()),
  step: z.int().describe('Number of the present step, from 0.'),
  minutes_per_step: z.number().optional().describe('Absent: steps are taken by hand.'),
  waits_for: z.string().optional().describe('What the next step waits for: time, requests, figures, suite, or person.'),
  reason: z.string().optional(),
  since: z.string(),
  figures: z.array(Side).optional().describe('Of stable and of the candidate, since the step began.'),
  suite: Suite.optional().describe('What the suite says of the candidate. Absent: the rollout has none.'),
  next_step: z.string(),
});

const suiteOf = ({ state, done, total, figures, evaluation, detail }: NonNullable<RolloutView['suite']>): z.input<typeof Suite> => ({
  ...{ state, done, total, figures },
  ...knownFields({ evaluation, detail }),
});

const sideOf = (id: RolloutView['stable'], side: RolloutSide): z.input<typeof Side> => ({
  slug: deploymentSlug(id),
  ...{ requests: side.requests, errors: side.errors, cut: side.cut },
  ...knownFields({
    first_token_ms_p50: side.first_token_ms?.p50,
    first_token_ms_p95: side.first_token_ms?.p95,
    answer_tokens_p50: side.answer_tokens?.p50,
    answer_tokens_p95: side.answer_tokens?.p95,
  }),
});

const NEXT: Readonly<Record<RolloutView['state'], string>> = {
  running: 'Call get_rollout to watch the figures; the guard takes steps, or takes the candidate back, by itself.',
  promoted: 'The alias points at the candidate. The former deployment still runs: call roll_back to return to it.',
  rolled_back: 'All requests go to the stable deployment. Find out why before you call start_rollout again.',
};

const nextOf = ({ state, waits_for: waitsFor }: RolloutView): string =>
  waitsFor === 'person' ? 'Compare the figures by get_rollout, then call advance_rollout, promote_rollout or roll_back.' : NEXT[state];

function shown(rollout: RolloutView, { caller }: ToolCall): z.input<typeof ShownRollout> {
  const { alias, state, stable, candidate, percent, steps, at_step: step, minutes, waits_for, reason, since, figures, suite } = rollout;
  const sides = figures && [sideOf(stable, figures.stable), sideOf(candidate, figures.candidate)];
  return {
    ...{ alias: `${caller.slug}/${alias}`, state, stable: deploymentSlug(stable), candidate: deploymentSlug(candidate) },
    ...{ candidate_percent: percent, steps, step, since, next_step: nextOf(rollout) },
    ...knownFields({ minutes_per_step: minutes, waits_for, reason, figures: sides, suite: suite && suiteOf(suite) }),
  };
}

/** Has the person asked where the client can. Elsewhere the agent asked, as the tool and `confirm_alias` say. */
function askFirst(call: ToolCall, question: string): void {
  if (call.person) requireAgreement(call, { question, argument: 'confirm_alias', given: undefined, wanted: '', advice: '' });
}

const confirmAlias = z.string().max(110).describe('The alias again, in the same words, once the person you work for agrees.');

/** @throws ServiceError `suite_not_found` */
async function suiteIdOf(name: string, { rpc, caller, actor }: ToolCall): Promise<SuiteId> {
  const parsed = TuningName.safeParse(name);
  if (!parsed.success) throw new ServiceError('suite_not_found', `This account has no suite "${name}".`, { param: 'suite' });
  return (await rpc.call(FindSuite, { account: caller.account, suite: parsed.data, actor })).suite.id;
}

export const startRollout = defineTool({
  name: 'start_rollout',
  title: 'Start a rollout of an alias',
  description:
    'Moves an alias to another deployment in steps: the candidate first answers a small share of its conversations, then more. A guard compares both sides and takes a worse candidate back by itself. A candidate whose adapter failed its gate is refused.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({
    alias: aliasInput,
    candidate: DeploymentRef,
    steps: z.array(z.int().min(1).max(100)).min(1).max(20).optional().describe('Rising shares in percent; 5, 25, 50, 100 unless given.'),
    minutes: z.number().min(0.01).max(43_200).optional().describe('Minutes of each step; 10 unless given.'),
    by_hand: z.boolean().default(false).describe('Whether steps are taken only by advance_rollout.'),
    guard: z
      .object({
        requests: z.int().min(10).max(1_000_000).optional().describe('Requests of the candidate before it is judged; 50 unless given.'),
        checks: z.array(z.enum(ROLLOUT_CHECKS)).optional().describe('What is compared; all unless given.'),
      })
      .optional()
      .describe('When the candidate is judged, and by what.'),
    suite: z
      .string()
      .min(1)
      .max(63)
      .optional()
      .describe('Name of an evaluation suite: stable and candidate are evaluated by it before the second step.'),
  }),
  output: ShownRollout,
  run: async ({ alias: text, candidate: ref, by_hand: byHand, suite: name, ...settings }, call) => {
    const { rpc, caller, actor } = call;
    const alias = readAlias(text, caller.slug);
    const candidate = await deploymentIdOf(ref, call);
    const suite = name === undefined ? undefined : await suiteIdOf(name, call);
    const first = settings.steps?.[0] ?? ROLLOUT_STEPS[0];
    askFirst(call, `Send ${first} % of the conversations of ${caller.slug}/${alias} to ${deploymentSlug(candidate)}, then more in steps?`);
    const request = { account: caller.account, alias, candidate, ...settings, ...(byHand && { minutes: null }), suite, actor };
    return shown((await rpc.call(StartRollout, request)).rollout, call);
  },
});

export const getRollout = defineTool({
  name: 'get_rollout',
  title: 'Show a rollout',
  description: 'Shows the newest rollout of an alias: the share of the candidate, figures of both sides, and why it ended.',
  hints: READS,
  input: z.object({ alias: aliasInput }),
  output: ShownRollout,
  run: async ({ alias }, call) => {
    const request = { account: call.caller.account, alias: readAlias(alias, call.caller.slug) };
    return shown((await call.rpc.call(FindRollout, request)).rollout, call);
  },
});

export const advanceRollout = defineTool({
  name: 'advance_rollout',
  title: 'Take the next step of a rollout',
  description: 'Gives the candidate the share of the next step at once, without waiting for its time; after the last step it is promoted.',
  hints: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  input: z.object({
    alias: aliasInput,
    from_step: z.int().min(0).max(20).describe('The step that get_rollout shows; nothing happens where a later one is taken already.'),
  }),
  output: ShownRollout,
  run: async ({ alias, from_step }, call) => {
    const { rpc, caller, actor } = call;
    const request = { account: caller.account, alias: readAlias(alias, caller.slug), from_step, actor };
    return shown((await rpc.call(AdvanceRollout, request)).rollout, call);
  },
});

export const promoteRollout = defineTool({
  name: 'promote_rollout',
  title: 'Promote the candidate of a rollout',
  description:
    'Points the alias at the candidate at once. The former deployment stays, so roll_back returns to it. Ask the person you work for first.',
  hints: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  input: z.object({ alias: aliasInput, confirm_alias: confirmAlias }),
  output: ShownRollout,
  run: async ({ alias: text, confirm_alias: confirmed }, call) => {
    const { rpc, caller, actor } = call;
    requireConfirmation('confirm_alias', confirmed, text);
    const request = { account: caller.account, alias: readAlias(text, caller.slug), actor };
    askFirst(call, `Send all requests of ${caller.slug}/${request.alias} to the candidate of its rollout?`);
    return shown((await rpc.call(PromoteRollout, request)).rollout, call);
  },
});

export const rollBack = defineTool({
  name: 'roll_back',
  title: 'Roll a rollout back',
  description:
    'Sends all requests of an alias to the stable deployment within a second, also after a promotion. Ask the person you work for first.',
  hints: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  input: z.object({
    alias: aliasInput,
    confirm_alias: confirmAlias,
    reason: z.string().min(1).max(500).optional().describe('Why, for the audit log.'),
  }),
  output: ShownRollout,
  run: async ({ alias: text, confirm_alias: confirmed, reason }, call) => {
    const { rpc, caller, actor } = call;
    requireConfirmation('confirm_alias', confirmed, text);
    const request = { account: caller.account, alias: readAlias(text, caller.slug), reason, actor };
    askFirst(call, `Send all requests of ${caller.slug}/${request.alias} back to the stable deployment?`);
    return shown((await rpc.call(RollBackRollout, request)).rollout, call);
  },
});
