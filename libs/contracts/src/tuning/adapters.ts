import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { ChangedBy } from '../deployments/deployment-audit.js';
import { actorField } from '../identity/audit.js';
import { AccountId, DeploymentId } from '../ids.js';
import { eachReadable, openEnum } from '../schemas.js';
import { tuningChange, tuningRead, tuningText } from './datasets.js';
import { AdapterId, DatasetId, JobId, Sha256, TuningName, VersionNumber } from './tuning-ids.js';

/** One check of the gate. */
export const GateCheck = z.object({
  /** `held_loss`, `degenerate`, `keep_set` or `no_effect`; readers show others by their `detail`. */
  check: z.string().regex(/^[a-z_]{1,64}$/),
  /** Null = it could not be made, such as a keep set that does not exist. */
  passed: z.boolean().nullable(),
  base: z.number().nullable(),
  adapter: z.number().nullable(),
  /** What `adapter` was compared with. */
  bound: z.number().nullable(),
  /** How many examples it was made on. */
  examples: z.int().nonnegative(),
  /** One sentence for people. */
  detail: z.string().max(500),
});
export type GateCheck = z.infer<typeof GateCheck>;

/** Whether an adapter is better than its base, and why. */
export const Verdict = z.object({ passed: z.boolean(), checks: eachReadable(GateCheck, 16) });
export type Verdict = z.infer<typeof Verdict>;

/** Tokens of one answer and their log probabilities, as the serving engine gave them when the adapter was made. */
export const WitnessAnswer = z.object({
  prompt: z.array(z.int().nonnegative()).min(1).max(1_024),
  answer: z.array(z.int().nonnegative()).min(1).max(256),
  /** With the adapter, and without. */
  adapter: z.array(z.number().max(0)).min(1).max(256),
  base: z.array(z.number().max(0)).min(1).max(256),
});
export type WitnessAnswer = z.infer<typeof WitnessAnswer>;

/** What a replica must answer to prove that it runs this adapter on this base. */
export const Witness = z.object({
  answers: z.array(WitnessAnswer).min(1).max(16),
  /** Mean distance of log probabilities between base and adapter. */
  distance: z.number().nonnegative(),
});
export type Witness = z.infer<typeof Witness>;

/** Distance at which a replica's log probabilities are another adapter's. Right ones are within 0.0015, the nearest wrong one was 0.082. */
export const WITNESS_BOUND = 0.02;

/**
 * Whether connected training workers have the base of an adapter, by its SHA-256. `changed`: another file has its name. `absent`: they
 * have no file of that name. `unknown`: none is connected.
 */
export const BASE_STATES = ['there', 'changed', 'absent', 'unknown'] as const;

/** A trained or imported adapter. */
export const AdapterView = z.object({
  id: AdapterId,
  name: TuningName,
  version: VersionNumber,
  /** Null = imported. */
  job: JobId.nullable(),
  step: z.int().nonnegative().nullable(),
  dataset: DatasetId.nullable(),
  dataset_name: z.string().nullable(),
  dataset_version: VersionNumber.nullable(),
  /** The data set was deleted meanwhile. */
  source_deleted: z.boolean(),
  base: z.string(),
  /** Path of the base's file on the workers. Absent in replies of older services. */
  base_path: z.string().min(1).max(4_096).optional(),
  /** Absent in replies of older services. */
  base_state: openEnum(BASE_STATES).optional(),
  base_sha256: Sha256,
  template_sha256: Sha256,
  tokenizer_sha256: Sha256,
  /** SHA-256 of the GGUF form. */
  sha256: Sha256,
  bytes: z.int().nonnegative(),
  rank: z.int().positive(),
  alpha: z.number().positive(),
  modules: z.array(z.string().max(64)).max(64),
  witness_distance: z.number().nonnegative().nullable(),
  verdict: Verdict.nullable(),
  /** Deployments whose revisions name it. */
  deployments: z.array(DeploymentId).max(500),
  created_by: ChangedBy,
  created_at: z.iso.datetime(),
});
export type AdapterView = z.infer<typeof AdapterView>;

/** Adapters of an account, newest first, in pages of at most 200. */
export const ListAdapters = defineRpc({
  subject: 'tun.{env}.v1.rpc.list-adapters',
  ...tuningRead,
  request: z.object({ account: AccountId, name: TuningName.optional(), before: AdapterId.optional() }),
  reply: z.object({ adapters: eachReadable(AdapterView, 200), next: AdapterId.nullable() }),
  errors: [],
});

const target = { account: AccountId, adapter: AdapterId };

/** One adapter. */
export const FindAdapter = defineRpc({
  subject: 'tun.{env}.v1.rpc.find-adapter',
  ...tuningRead,
  callers: ['console', 'ops', 'deployments'],
  trusted: ['deployments'],
  request: z.object(target),
  reply: z.object({ adapter: AdapterView }),
  errors: ['adapter_not_found'],
});

/** A pair of answers, base beside adapter, to one prompt. Text of the data set: for members. */
export const AnswerPair = z.object({
  prompt: z.string().max(4_000),
  expected: z.string().max(4_000).nullable(),
  base: z.string().max(4_000),
  adapter: z.string().max(4_000),
  degenerate: z.boolean(),
  /** From the keep set: the answer should not have changed. */
  keep: z.boolean(),
});
export type AnswerPair = z.infer<typeof AnswerPair>;

/** Answers before and after, the worst first. */
export const ReadAdapterAnswers = defineRpc({
  subject: 'tun.{env}.v1.rpc.read-adapter-answers',
  ...tuningText,
  request: z.object({ ...target, ...actorField }),
  reply: z.object({ pairs: eachReadable(AnswerPair, 200) }),
  errors: ['adapter_not_found', 'not_permitted'],
});

/**
 * What deployments-service needs of an adapter to serve it. It remembers that the deployment uses it, so that the adapter is not
 * deleted meanwhile.
 */
export const ServeAdapter = defineRpc({
  subject: 'tun.{env}.v1.rpc.serve-adapter',
  owner: 'tuning',
  callers: ['deployments'],
  queue: 'tuning',
  request: z.object({
    ...target,
    /** Serves it although its verdict is bad, for this reason; kept in the audit log. */
    override: z.string().trim().min(1).max(500).optional(),
    /** True = an alias is to lead to it: then each suite of its gate must have been passed, not only those that were run. */
    promotes: z.boolean().optional(),
    ...actorField,
  }),
  reply: z.object({
    adapter: AdapterId,
    name: TuningName,
    version: VersionNumber,
    sha256: Sha256,
    bytes: z.int().nonnegative(),
    base_path: z.string().min(1).max(4_096),
    base_sha256: Sha256,
    template_sha256: Sha256,
    tokenizer_sha256: Sha256,
    witness: Witness,
  }),
  errors: ['adapter_not_found', 'gate_not_passed'],
  timeoutMs: 3_000,
});

/** Adapters that deployments name, as deployments-service knows them: sent whole on change and every minute. */
export const ReportAdapterUse = defineRpc({
  subject: 'tun.{env}.v1.rpc.report-adapter-use',
  owner: 'tuning',
  callers: ['deployments'],
  queue: 'tuning',
  request: z.object({
    ...target,
    /** All deployments that name it now. */
    deployments: z.array(DeploymentId).max(500),
  }),
  reply: z.object({}),
  errors: ['adapter_not_found'],
  timeoutMs: 3_000,
});

/** Renames all versions of an adapter. */
export const RenameAdapter = defineRpc({
  subject: 'tun.{env}.v1.rpc.rename-adapter',
  ...tuningChange,
  request: z.object({ ...target, name: TuningName, ...actorField }),
  reply: z.object({ adapter: AdapterId, name: TuningName }),
  errors: ['adapter_not_found', 'name_taken', 'rate_limit_exceeded'],
});

/** Deletes an adapter that no deployment names. Its bytes are removed a day later. */
export const DeleteAdapter = defineRpc({
  subject: 'tun.{env}.v1.rpc.delete-adapter',
  ...tuningChange,
  request: z.object({ ...target, ...actorField }),
  reply: z.object({ adapter: AdapterId }),
  errors: ['adapter_not_found', 'adapter_in_use', 'rate_limit_exceeded'],
});

/** An address on the console from which the adapter can be fetched within an hour, as a tar file with its card. */
export const ExportAdapter = defineRpc({
  subject: 'tun.{env}.v1.rpc.export-adapter',
  ...tuningText,
  agents: false,
  request: z.object({ ...target, form: z.enum(['peft', 'gguf']), ...actorField }),
  reply: z.object({ path: z.string().max(1_024), expires_at: z.iso.datetime(), name: z.string() }),
  errors: ['adapter_not_found'],
});
