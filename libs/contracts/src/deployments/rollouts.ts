import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { actorField } from '../identity/audit.js';
import { AccountId, AliasName, DeploymentId } from '../ids.js';
import { eachReadable, enumOr, openEnum } from '../schemas.js';
import { EvaluationId, SuiteId } from '../tuning/tuning-ids.js';

/** Shares of the candidate, in percent, where a request names none. */
export const ROLLOUT_STEPS: readonly number[] = [5, 25, 50, 100];
/** Minutes of each step where a request names none. */
export const ROLLOUT_MINUTES = 10;
/** Requests that the candidate must have answered before it is judged, where a request names none. */
export const ROLLOUT_REQUESTS = 50;

/** What the guard compares: shares of errors and of cut answers, times to first token, and lengths of answers. */
export const ROLLOUT_CHECKS = ['errors', 'cut', 'first_token', 'answer_tokens'] as const;
/** One comparison of the guard. */
export type RolloutCheck = (typeof ROLLOUT_CHECKS)[number];

/** When the guard judges, and by what. A candidate that is worse at p < 0.01 is taken back. */
const Guard = z.object({
  /** Requests of the candidate in a step before it is judged, and before the next step. */
  requests: z.int().min(10).max(1_000_000),
  /** Empty = nothing is compared; steps follow each other by time and number of requests alone. */
  checks: z.array(openEnum(ROLLOUT_CHECKS)).max(16),
});
/** Settings of a rollout's guard. */
export type RolloutGuard = z.input<typeof Guard>;

/** Names of words as a request writes them. */
const RequestedGuard = z.object({
  /** Absent = `ROLLOUT_REQUESTS`. */
  requests: Guard.shape.requests.optional(),
  /** Absent = all of `ROLLOUT_CHECKS`. */
  checks: z.array(z.enum(ROLLOUT_CHECKS)).max(ROLLOUT_CHECKS.length).optional(),
});

const Percent = z.int().min(1).max(100);
/** Minutes of a step; null = the next step is taken by hand. */
const Minutes = z.number().min(0.01).max(43_200).nullable();

/** Rising shares; the promotion follows the last one, or is the last one where that is 100. */
const Steps = z
  .array(Percent)
  .min(1)
  .max(20)
  .refine((steps) => steps.every((step, at) => at === 0 || step > (steps[at - 1] ?? 0)), 'Each step must be above the one before.');

/** 50th and 95th percentile, accurate to 5 %. */
const Spread = z.object({ p50: z.number().nonnegative(), p95: z.number().nonnegative() });

const Side = z.object({
  /** Requests that this side answered, refused or failed. */
  requests: z.int().nonnegative(),
  /** Part of `requests` that failed by a fault of the servers. */
  errors: z.int().nonnegative(),
  /** Answers that ended at their token limit. */
  cut: z.int().nonnegative(),
  /** Milliseconds; null = no answer yet. */
  first_token_ms: Spread.nullable(),
  answer_tokens: Spread.nullable(),
});
/** Figures of one side since the step began. */
export type RolloutSide = z.infer<typeof Side>;

const Figures = z.object({ stable: Side, candidate: Side, as_of: z.iso.datetime() });
/** Figures of both sides of a rollout, of requests that named the alias. */
export type RolloutFigures = z.infer<typeof Figures>;

/** `running`: requests are shared. `promoted`: the alias points at the candidate. `rolled_back`: all of them go to stable. */
export const RolloutState = z.enum(['running', 'promoted', 'rolled_back']);
export type RolloutState = z.infer<typeof RolloutState>;

/**
 * What the next step of a running rollout waits for: its time, requests of the candidate, figures of the ledger, the evaluation by its
 * suite, or a person.
 */
export const ROLLOUT_WAITS = ['time', 'requests', 'figures', 'suite', 'person'] as const;

/**
 * What a suite says of a candidate. `waiting`: the evaluation cannot be made or read now. `running`: it is not over. `passed`: the
 * candidate is not certainly worse. `worse`: it is. `failed`: the evaluation ended without a result, so steps are taken by hand.
 */
export const ROLLOUT_SUITE_STATES = ['waiting', 'running', 'passed', 'worse', 'failed'] as const;

/** What one grader says of the candidate against stable, with its 95 % interval. */
const SuiteFigure = z.object({
  /** Kind of the grader. */
  grader: z.string().max(32),
  /** `points`: percentage points of passed answers, candidate less stable. `wins`: percent of wins among wins and losses, by a judge. */
  unit: openEnum(['points', 'wins']),
  value: z.number(),
  low: z.number(),
  high: z.number(),
  /** Items that were compared; of a judge, wins and losses. */
  items: z.int().nonnegative(),
  /** The whole interval speaks against the candidate. */
  is_worse: z.boolean(),
});

/** The evaluation of both sides of a rollout by a suite; stable is the baseline. */
export const RolloutSuite = z.object({
  suite: SuiteId,
  /** Null until tuning-service has made it. */
  evaluation: EvaluationId.nullable(),
  state: openEnum(ROLLOUT_SUITE_STATES),
  /** For people: the result with its figures, or why there is none; null while it runs. */
  detail: z.string().max(500).nullable(),
  /** Answers and verdicts that are stored, and that are wanted. */
  done: z.int().nonnegative(),
  total: z.int().nonnegative(),
  /** Of a suite that has spoken; else empty. */
  figures: eachReadable(SuiteFigure, 16),
});
export type RolloutSuite = z.infer<typeof RolloutSuite>;

/** A canary rollout: an alias moves from one deployment to another in steps. */
export const RolloutView = z.object({
  id: z.int().positive(),
  alias: AliasName,
  stable: DeploymentId,
  candidate: DeploymentId,
  /** Readers show a state that they do not know as over. */
  state: enumOr(RolloutState, 'rolled_back'),
  /** Share of the candidate now: 100 once promoted, 0 once rolled back. */
  percent: z.int().min(0).max(100),
  steps: z.array(Percent).max(20),
  /** Number of the present or last step, from 0. */
  at_step: z.int().nonnegative(),
  minutes: Minutes,
  guard: Guard,
  /** Why it ended as it did, in a sentence for people; null while it runs, or where nobody said why. */
  reason: z.string().nullable(),
  /** Null = it is over. */
  waits_for: openEnum(ROLLOUT_WAITS).nullable(),
  started_at: z.iso.datetime(),
  /** When the present step began, or the rollout ended. */
  since: z.iso.datetime(),
  /** Of the present step, or the last figures before the end. Null = none, or the ledger does not answer. */
  figures: Figures.nullable(),
  /** Null = the candidate is not evaluated. Absent = the service does not know suites yet. */
  suite: RolloutSuite.nullable().optional(),
});
export type RolloutView = z.infer<typeof RolloutView>;

const common = { owner: 'deployments', callers: ['console', 'ops'], agents: true, queue: 'deployments' } as const;
const target = { account: AccountId, alias: AliasName };
/** Why a person decided so; kept in the audit log and with the rollout. */
const Reason = z.string().trim().min(1).max(500);

/**
 * Begins to move an alias to `candidate`. The first step takes its share at once. One rollout of an alias runs at a time; the same
 * request again answers with the running one.
 */
export const StartRollout = defineRpc({
  subject: 'dep.{env}.v1.rpc.start-rollout',
  ...common,
  proof: 'member',
  request: z.object({
    ...target,
    candidate: DeploymentId,
    /** Absent = `ROLLOUT_STEPS`. */
    steps: Steps.optional(),
    /** Absent = `ROLLOUT_MINUTES`. */
    minutes: Minutes.optional(),
    guard: RequestedGuard.optional(),
    /**
     * Evaluates stable and candidate by this suite. No step is taken by itself before the evaluation has succeeded, and a candidate
     * that is certainly worse is taken back.
     */
    suite: SuiteId.optional(),
    /** Serves an adapter although its verdict is bad, for this reason; kept in the audit log. */
    override: Reason.optional(),
    ...actorField,
  }),
  reply: z.object({ rollout: RolloutView }),
  errors: [
    'alias_not_found',
    'deployment_not_found',
    'deployment_not_ready',
    'rollout_in_progress',
    'gate_not_passed',
    'suite_not_found',
    'dataset_not_found',
    'rate_limit_exceeded',
  ],
  timeoutMs: 10_000,
});

/** The newest rollout of an alias, running or over. */
export const FindRollout = defineRpc({
  subject: 'dep.{env}.v1.rpc.find-rollout',
  ...common,
  proof: 'viewer',
  request: z.object(target),
  reply: z.object({ rollout: RolloutView }),
  errors: ['rollout_not_found'],
  timeoutMs: 5_000,
});

/** The newest rollout of each alias of an account, by alias, without figures. */
export const ListRollouts = defineRpc({
  subject: 'dep.{env}.v1.rpc.list-rollouts',
  ...common,
  proof: 'viewer',
  request: z.object({ account: AccountId }),
  reply: z.object({ rollouts: eachReadable(RolloutView, 1_000) }),
  errors: [],
  timeoutMs: 3_000,
});

/** Takes the next step of a running rollout at once; after the last one that is the promotion. */
export const AdvanceRollout = defineRpc({
  subject: 'dep.{env}.v1.rpc.advance-rollout',
  ...common,
  proof: 'member',
  request: z.object({
    ...target,
    /** The step that it is at; when it is at a later one, the request was done before. Absent = whatever step it is at. */
    from_step: z.int().nonnegative().optional(),
    ...actorField,
  }),
  reply: z.object({ rollout: RolloutView }),
  errors: ['rollout_not_found', 'gate_not_passed', 'rate_limit_exceeded'],
  timeoutMs: 6_000,
});

/** Points the alias of a running rollout at the candidate. The former deployment stays as it is. Repeating it is harmless. */
export const PromoteRollout = defineRpc({
  subject: 'dep.{env}.v1.rpc.promote-rollout',
  ...common,
  proof: 'member',
  request: z.object({ ...target, override: Reason.optional(), ...actorField }),
  reply: z.object({ rollout: RolloutView }),
  errors: ['rollout_not_found', 'gate_not_passed', 'rate_limit_exceeded'],
  timeoutMs: 6_000,
});

/**
 * Sends all requests of the alias to the stable deployment: of a running rollout, or of a promoted one as long as the alias points at
 * its candidate. Repeating it is harmless.
 */
export const RollBackRollout = defineRpc({
  subject: 'dep.{env}.v1.rpc.roll-back-rollout',
  ...common,
  proof: 'member',
  request: z.object({ ...target, reason: Reason.optional(), ...actorField }),
  reply: z.object({ rollout: RolloutView }),
  errors: ['rollout_not_found', 'deployment_not_found', 'rate_limit_exceeded'],
  timeoutMs: 4_000,
});
