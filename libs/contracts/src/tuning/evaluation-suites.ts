import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { ChangedBy } from '../deployments/deployment-audit.js';
import { actorField, provenRoleField } from '../identity/audit.js';
import { AccountId, DeploymentId } from '../ids.js';
import { eachReadable } from '../schemas.js';
import { tuningChange, tuningRead } from './datasets.js';
import { DatasetId, IdempotencyKey, SuiteId, TuningName, VersionNumber } from './tuning-ids.js';

/** Most conversations that one evaluation asks. */
export const EVALUATION_ITEMS_MAX = 500;

const ignoreCase = { ignore_case: z.boolean().optional() };

/** What decides whether one answer passes, or which of two answers is better. */
export const Grader = z.discriminatedUnion('kind', [
  /** The answer is the reference, whatever space surrounds both. */
  z.strictObject({ kind: z.literal('exact'), ...ignoreCase }),
  /** The answer contains this text; absent = the reference. */
  z.strictObject({ kind: z.literal('contains'), text: z.string().min(1).max(1_000).optional(), ...ignoreCase }),
  /** The expression, in the syntax of JavaScript, matches somewhere in the answer. */
  z.strictObject({ kind: z.literal('regex'), pattern: z.string().min(1).max(1_000), ...ignoreCase }),
  /** The answer is JSON that fits this schema. */
  z.strictObject({
    kind: z.literal('json_schema'),
    schema: z
      .record(z.string(), z.unknown())
      .refine((schema) => JSON.stringify(schema).length <= 16_384, 'A schema has at most 16,384 characters.'),
  }),
  /** The answer calls the tools of the reference, with equal names and arguments, in the same order. */
  z.strictObject({ kind: z.literal('tool_call') }),
  /** The answer ends, and does not repeat itself unless its reference does. */
  z.strictObject({ kind: z.literal('degenerate') }),
  /** The answer's length in characters lies within these bounds. */
  z
    .strictObject({
      kind: z.literal('length'),
      min: z.int().nonnegative().max(1_000_000).optional(),
      max: z.int().nonnegative().max(1_000_000).optional(),
    })
    .refine(({ min, max }) => min !== undefined || max !== undefined, 'Name "min", "max" or both.'),
  /** A deployment compares each answer with the baseline's, in both orders. Two orders that differ are a tie. */
  z.strictObject({ kind: z.literal('judge'), deployment: DeploymentId, rubric: z.string().trim().min(1).max(2_000) }),
  /** Members compare each answer with the baseline's, without knowing which is which. */
  z.strictObject({ kind: z.literal('people') }),
]);
export type Grader = z.infer<typeof Grader>;

/** Kinds of graders. */
export const GRADER_KINDS = ['exact', 'contains', 'regex', 'json_schema', 'tool_call', 'degenerate', 'length', 'judge', 'people'] as const;

/** Graders that compare an answer with the baseline's, and do not pass or fail it. */
export const PAIRWISE_GRADERS: readonly string[] = ['judge', 'people'];

/**
 * A grader as readers see it. Its text (`text`, `pattern`, `schema`, `rubric`) may repeat what a data set says, so viewers and agents
 * that may not read examples get the rest alone.
 */
export const GraderView = z.object({
  kind: z.string().regex(/^[a-z_]{1,32}$/),
  ignore_case: z.boolean().optional(),
  text: z.string().optional(),
  pattern: z.string().optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
  min: z.int().optional(),
  max: z.int().optional(),
  deployment: DeploymentId.optional(),
  rubric: z.string().optional(),
});
export type GraderView = z.infer<typeof GraderView>;

/** That an adapter must pass a suite before an alias may point at it. */
export const SuiteGate = z.object({
  /** Name of the adapter, in all its versions. */
  adapter: TuningName,
  /** Percentage points that each grader may lose against the baseline. */
  points: z.number().min(0).max(100),
});
export type SuiteGate = z.infer<typeof SuiteGate>;

/** What deployments are asked, and how their answers are graded. It never changes; another one is another suite. */
export const SuiteView = z.object({
  id: SuiteId,
  name: TuningName,
  dataset: DatasetId,
  dataset_name: z.string(),
  version: VersionNumber,
  /** Conversations that are asked: so many of the version's examples, chosen by the seed. */
  sample: z.int().min(1).max(EVALUATION_ITEMS_MAX),
  seed: z.int().nonnegative(),
  graders: z.array(GraderView).max(16),
  gate: SuiteGate.nullable(),
  /** Its data set was deleted: it cannot be run any more. */
  source_deleted: z.boolean(),
  evaluations: z.int().nonnegative(),
  created_by: ChangedBy,
  created_at: z.iso.datetime(),
});
export type SuiteView = z.infer<typeof SuiteView>;

/** Number or name of a suite. */
export const SuiteRef = z.union([SuiteId, TuningName]);

/** Makes a suite. The examples are chosen now: a later version of the data set changes nothing. */
export const CreateSuite = defineRpc({
  subject: 'tun.{env}.v1.rpc.create-suite',
  ...tuningChange,
  request: z.object({
    account: AccountId,
    name: TuningName,
    dataset: z.union([DatasetId, TuningName]),
    /** Absent = the newest ready version. */
    version: VersionNumber.optional(),
    /** Absent = 100. Where the version has fewer examples, all of them. */
    sample: z.int().min(1).max(EVALUATION_ITEMS_MAX).optional(),
    /** Chooses the examples; absent = 1. */
    seed: z.int().nonnegative().max(2_147_483_647).optional(),
    graders: z.array(Grader).min(1).max(16),
    idempotency_key: IdempotencyKey.optional(),
    ...actorField,
  }),
  reply: z.object({ suite: SuiteId }),
  errors: ['dataset_not_found', 'dataset_not_ready', 'name_taken', 'quota_exceeded', 'rate_limit_exceeded'],
});

/** Makes a suite the gate of an adapter in all its versions, or ends that. For owners, never by an MCP key. Repeating it is harmless. */
export const SetSuiteGate = defineRpc({
  subject: 'tun.{env}.v1.rpc.set-suite-gate',
  ...tuningChange,
  proof: 'owner',
  agents: false,
  request: z.object({ account: AccountId, suite: SuiteId, gate: SuiteGate.nullable(), ...actorField }),
  reply: z.object({ suite: SuiteId, gate: SuiteGate.nullable() }),
  errors: ['suite_not_found', 'quota_exceeded', 'rate_limit_exceeded'],
});

/** Suites of an account by name, in pages of at most 200. */
export const ListSuites = defineRpc({
  subject: 'tun.{env}.v1.rpc.list-suites',
  ...tuningRead,
  request: z.object({ account: AccountId, after: TuningName.optional(), ...actorField, ...provenRoleField }),
  reply: z.object({ suites: eachReadable(SuiteView, 200), next: TuningName.nullable() }),
  errors: [],
});

/** One suite. */
export const FindSuite = defineRpc({
  subject: 'tun.{env}.v1.rpc.find-suite',
  ...tuningRead,
  callers: ['console', 'ops', 'deployments'],
  trusted: ['deployments'],
  request: z.object({ account: AccountId, suite: SuiteRef, ...actorField, ...provenRoleField }),
  reply: z.object({ suite: SuiteView }),
  errors: ['suite_not_found'],
});

/** Deletes a suite. Its evaluations stay. One that is a gate is deleted by owners alone. */
export const DeleteSuite = defineRpc({
  subject: 'tun.{env}.v1.rpc.delete-suite',
  ...tuningChange,
  request: z.object({ account: AccountId, suite: SuiteId, ...actorField, ...provenRoleField }),
  reply: z.object({ suite: SuiteId }),
  errors: ['suite_not_found', 'not_permitted', 'rate_limit_exceeded'],
});
