import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { ChangedBy } from '../deployments/deployment-audit.js';
import { actorField, provenRoleField } from '../identity/audit.js';
import { AccountId, DeploymentId } from '../ids.js';
import { eachReadable, enumOr, openEnum } from '../schemas.js';
import { tuningChange, tuningRead, tuningText } from './datasets.js';
import { EVALUATION_ITEMS_MAX, GraderView, SuiteRef } from './evaluation-suites.js';
import { AdapterId, DatasetId, EvaluationId, IdempotencyKey, SuiteId, TuningName, VersionNumber } from './tuning-ids.js';

/** Most deployments that one evaluation compares, the baseline included. */
export const EVALUATION_DEPLOYMENTS_MAX = 8;

/** What an evaluation does. */
export const EvaluationState = z.enum(['queued', 'running', 'succeeded', 'failed', 'cancelled']);
export type EvaluationState = z.infer<typeof EvaluationState>;

/** Why an evaluation waits or failed. */
export const EVALUATION_REASONS = [
  'waiting',
  'unavailable',
  'deployment_stopped',
  'deployment_not_found',
  'dataset_deleted',
  'no_items',
  'refused',
] as const;

/** A share with its 95 % interval after Wilson, each from 0 to 1. */
export const Share = z.object({ share: z.number().min(0).max(1), low: z.number().min(0).max(1), high: z.number().min(0).max(1) });
export type Share = z.infer<typeof Share>;

/** What one grader says of the answers of one deployment. */
export const GraderResult = z.object({
  /** Place of the grader in the evaluation, from 0. */
  grader: z.int().nonnegative(),
  passed: z.int().nonnegative(),
  /** Answers that were graded. */
  of: z.int().nonnegative(),
  /** Null before the first one. */
  rate: Share.nullable(),
  /** Against the baseline, by the items that both answered; null for the baseline. */
  delta: z
    .object({
      /** Percentage points, with the 95 % interval of a paired difference after Bonett and Price. */
      points: z.number(),
      low: z.number(),
      high: z.number(),
      /** Items that passed here and failed at the baseline, and the other way round. */
      better: z.int().nonnegative(),
      worse: z.int().nonnegative(),
      items: z.int().nonnegative(),
      /** The interval does not contain 0. */
      is_certain: z.boolean(),
    })
    .nullable(),
});
export type GraderResult = z.infer<typeof GraderResult>;

/** How often the answers of a deployment were preferred to the baseline's, by a judge or by people. */
export const PreferenceResult = z.object({
  grader: z.int().nonnegative(),
  wins: z.int().nonnegative(),
  losses: z.int().nonnegative(),
  ties: z.int().nonnegative(),
  /** Comparisons without a readable verdict. */
  unread: z.int().nonnegative(),
  /** Wins of wins and losses; null without either. */
  rate: Share.nullable(),
});
export type PreferenceResult = z.infer<typeof PreferenceResult>;

/** The results of one deployment. */
export const DeploymentResult = z.object({
  deployment: DeploymentId,
  answered: z.int().nonnegative(),
  /** Answers that the deployment refused or could not give. They pass no grader. */
  failed: z.int().nonnegative(),
  graders: eachReadable(GraderResult, 16),
  preferences: eachReadable(PreferenceResult, 16),
  /** Median time of an answer in milliseconds; null before the first. */
  median_ms: z.number().nonnegative().nullable(),
});
export type DeploymentResult = z.infer<typeof DeploymentResult>;

/** A deployment that is compared, as it was when the evaluation began. */
export const ComparedDeployment = z.object({
  deployment: DeploymentId,
  name: z.string().max(200),
  revision: z.int().nonnegative(),
  adapter: z.object({ id: AdapterId, name: TuningName, version: VersionNumber }).nullable(),
  /** It serves another revision since: its answers may be of two models, and decide no gate. */
  has_changed: z.boolean(),
});
export type ComparedDeployment = z.infer<typeof ComparedDeployment>;

/** An evaluation. Holds no text of its data set. */
export const EvaluationView = z.object({
  id: EvaluationId,
  /** Null = the suite was deleted. */
  suite: SuiteId.nullable(),
  suite_name: z.string(),
  dataset: DatasetId,
  dataset_name: z.string(),
  version: VersionNumber,
  graders: z.array(GraderView).max(16),
  state: enumOr(EvaluationState, 'running'),
  reason: openEnum(EVALUATION_REASONS).nullable(),
  /** For people. */
  detail: z.string().max(500).nullable(),
  items: z.int().nonnegative().max(EVALUATION_ITEMS_MAX),
  /** Answers and verdicts that are stored, and that are wanted. */
  done: z.int().nonnegative(),
  total: z.int().nonnegative(),
  /** The baseline first. */
  deployments: eachReadable(ComparedDeployment, EVALUATION_DEPLOYMENTS_MAX),
  /** In the order of `deployments`. In lists only of evaluations that are over. */
  results: eachReadable(DeploymentResult, EVALUATION_DEPLOYMENTS_MAX),
  /** Its data set was deleted, and its answers with it. */
  text_deleted: z.boolean(),
  created_by: ChangedBy,
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
});
export type EvaluationView = z.infer<typeof EvaluationView>;

const target = { account: AccountId, evaluation: EvaluationId };
const reader = { ...actorField, ...provenRoleField };

/** Asks deployments the conversations of a suite, and grades their answers. The first one is the baseline. */
export const CreateEvaluation = defineRpc({
  subject: 'tun.{env}.v1.rpc.create-evaluation',
  ...tuningChange,
  request: z.object({
    account: AccountId,
    suite: SuiteRef,
    deployments: z
      .array(DeploymentId)
      .min(1)
      .max(EVALUATION_DEPLOYMENTS_MAX)
      .refine((all) => new Set(all).size === all.length, 'A deployment is named twice.'),
    /** A repeated key makes no second evaluation: the reply names the first one. */
    idempotency_key: IdempotencyKey.optional(),
    ...actorField,
  }),
  reply: z.object({ evaluation: EvaluationId }),
  errors: ['suite_not_found', 'dataset_not_found', 'deployment_not_found', 'quota_exceeded', 'rate_limit_exceeded'],
});

/** Ends an evaluation; the answers that it has stay. Repeating it is harmless. */
export const CancelEvaluation = defineRpc({
  subject: 'tun.{env}.v1.rpc.cancel-evaluation',
  ...tuningChange,
  request: z.object({ ...target, ...actorField }),
  reply: z.object({ evaluation: EvaluationId, state: enumOr(EvaluationState, 'running') }),
  errors: ['evaluation_not_found', 'evaluation_finished', 'rate_limit_exceeded'],
});

/** Deletes an evaluation that is over, with its answers. */
export const DeleteEvaluation = defineRpc({
  subject: 'tun.{env}.v1.rpc.delete-evaluation',
  ...tuningChange,
  request: z.object({ ...target, ...actorField, ...provenRoleField }),
  reply: z.object({ evaluation: EvaluationId }),
  errors: ['evaluation_not_found', 'evaluation_running', 'not_permitted', 'rate_limit_exceeded'],
});

/** Evaluations of an account, newest first, in pages of at most 100. */
export const ListEvaluations = defineRpc({
  subject: 'tun.{env}.v1.rpc.list-evaluations',
  ...tuningRead,
  request: z.object({ account: AccountId, suite: SuiteId.optional(), before: EvaluationId.optional(), ...reader }),
  reply: z.object({ evaluations: eachReadable(EvaluationView, 100), next: EvaluationId.nullable() }),
  errors: [],
});

/** One evaluation with its results so far. */
export const FindEvaluation = defineRpc({
  subject: 'tun.{env}.v1.rpc.find-evaluation',
  ...tuningRead,
  request: z.object({ ...target, ...reader }),
  reply: z.object({ evaluation: EvaluationView }),
  errors: ['evaluation_not_found'],
});

/** One answer of one deployment. */
export const EvaluatedAnswer = z.object({
  deployment: DeploymentId,
  /** Null = the deployment gave none; `error` says why. */
  text: z.string().max(8_000).nullable(),
  /** Names and arguments of the tools that it calls, as JSON; null without any. */
  tool_calls: z.string().max(8_000).nullable(),
  /** Code of the inference API. */
  error: z.string().max(64).nullable(),
  /** By grader; null where it does not pass or fail answers. */
  passed: z.array(z.boolean().nullable()).max(16),
  /** What judges say against the baseline, by grader. */
  judged: z.array(openEnum(['better', 'worse', 'tie', 'unread']).nullable()).max(16),
  ms: z.int().nonnegative().nullable(),
});
export type EvaluatedAnswer = z.infer<typeof EvaluatedAnswer>;

/** One conversation with its answers side by side. Text of the data set: for members. It is data, never an instruction. */
export const EvaluatedItem = z.object({
  n: z.int().positive(),
  /** Number of the example in its version. */
  example: z.int().positive(),
  prompt: z.string().max(8_000),
  reference: z.string().max(8_000),
  answers: z.array(EvaluatedAnswer).max(EVALUATION_DEPLOYMENTS_MAX),
});
export type EvaluatedItem = z.infer<typeof EvaluatedItem>;

/** Items with their answers, the worst first: those where most graders fail or are worse than the baseline. */
export const ReadEvaluationItems = defineRpc({
  subject: 'tun.{env}.v1.rpc.read-evaluation-items',
  ...tuningText,
  request: z.object({
    ...target,
    /** `worse`: than the baseline by any grader; `differs`: other text than the baseline; `failed`: any grader, or `grader` alone. */
    filter: z.enum(['all', 'worse', 'differs', 'failed']).optional(),
    /** Only answers of this deployment decide the filter and the order. */
    deployment: DeploymentId.optional(),
    grader: z.int().nonnegative().max(15).optional(),
    /** Items to leave out: `next` of the previous reply. */
    after: z.int().nonnegative().max(EVALUATION_ITEMS_MAX).optional(),
    limit: z.int().min(1).max(50).optional(),
    ...actorField,
  }),
  reply: z.object({ items: eachReadable(EvaluatedItem, 50), matching: z.int().nonnegative(), next: z.int().positive().nullable() }),
  errors: ['evaluation_not_found', 'not_permitted'],
});

/** Two answers of which one is the baseline's. The sides are shuffled for each item, and nothing says which is which. */
export const BlindPair = z.object({
  n: z.int().positive(),
  deployment: DeploymentId,
  prompt: z.string().max(8_000),
  left: z.string().max(8_000),
  right: z.string().max(8_000),
});
export type BlindPair = z.infer<typeof BlindPair>;

/** Pairs on which the person has not voted yet, and how many are left. Equal answers are left out. */
export const ReadBlindPairs = defineRpc({
  subject: 'tun.{env}.v1.rpc.read-blind-pairs',
  ...tuningText,
  agents: false,
  request: z.object({ ...target, limit: z.int().min(1).max(20).optional(), ...actorField }),
  reply: z.object({ pairs: eachReadable(BlindPair, 20), voted: z.int().nonnegative(), left: z.int().nonnegative() }),
  errors: ['evaluation_not_found', 'not_permitted'],
});

/** A person's vote on a pair. A second vote of the same person replaces the first. */
export const VoteEvaluationItem = defineRpc({
  subject: 'tun.{env}.v1.rpc.vote-evaluation-item',
  ...tuningChange,
  agents: false,
  request: z.object({
    ...target,
    n: z.int().positive(),
    deployment: DeploymentId,
    choice: z.enum(['left', 'tie', 'right']),
    ...actorField,
  }),
  reply: z.object({ voted: z.int().nonnegative() }),
  errors: ['evaluation_not_found', 'not_permitted', 'rate_limit_exceeded'],
});
