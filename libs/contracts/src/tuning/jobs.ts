import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { ChangedBy } from '../deployments/deployment-audit.js';
import { actorField } from '../identity/audit.js';
import { AccountId, AliasName } from '../ids.js';
import { eachReadable, enumOr, openEnum } from '../schemas.js';
import { tuningChange, tuningRead, tuningText } from './datasets.js';
import { TrainingSettings } from './training-settings.js';
import { AdapterId, DatasetId, IdempotencyKey, JobId, TuningName, VersionNumber } from './tuning-ids.js';

/** What a job shall do. */
export const JobDesired = z.enum(['run', 'pause', 'cancel']);
export type JobDesired = z.infer<typeof JobDesired>;

/** What a job does. docs/fine-tuning.md shows the transitions. */
export const JOB_STATES = [
  'validating',
  'queued',
  'starting',
  'running',
  'pausing',
  'paused',
  'finishing',
  'evaluating',
  'succeeded',
  'cancelling',
  'cancelled',
  'failed',
] as const;
/** State of a job. */
export const JobState = z.enum(JOB_STATES);
export type JobState = z.infer<typeof JobState>;

/** Why a job waits or failed. */
export const JOB_REASONS = [
  'no_trainer',
  'no_slot',
  'no_memory',
  'no_disk',
  'account_limit',
  'resumed',
  'dataset_invalid',
  'base_not_trainable',
  'base_changed',
  'adapter_mismatch',
  'too_long',
  'quota_exceeded',
  'template_mismatch',
  'weights_need_torch',
  'diverged',
  'out_of_memory',
  'trainer_crashed',
  'trainer_unavailable',
  'worker_lost',
  'time_limit',
  'no_effect',
  'storage_failed',
] as const;
/** Reason of a job's state; a reader keeps an unknown word. */
export const JobReason = openEnum(JOB_REASONS);

/** A setting as it applies, with the reason in words. */
export const ResolvedSetting = z.object({
  name: z.string().max(64),
  value: z.union([z.string().max(200), z.number(), z.boolean()]),
  reason: z.string().max(300),
});
export type ResolvedSetting = z.infer<typeof ResolvedSetting>;

/** Which checks of the adapter decide its verdict; absent = the defaults. */
export const GateSettings = z.strictObject({
  /** The adapter's loss on held-out examples must be below the base's. */
  held_loss: z.boolean().optional(),
  /** No answer may repeat itself or run on without an end. */
  degenerate: z.boolean().optional(),
  /** Percentage points that the keep set may lose; null = off. */
  keep_points: z.number().min(0).max(100).nullable().optional(),
  /** A data set of conversations that must not change; absent = the built-in one of the bundled model, or none. */
  keep_dataset: DatasetId.optional(),
});
export type GateSettings = z.infer<typeof GateSettings>;

/** What follows success. */
export const JobFollow = z.strictObject({
  /** Deploys the adapter under this alias when its verdict is good. */
  deploy: z.strictObject({ alias: AliasName.optional(), name: z.string().trim().min(1).max(100).optional() }).optional(),
});
export type JobFollow = z.infer<typeof JobFollow>;

/** The same in replies and assignments, whose readers ignore the settings of newer senders. */
export const ReadGateSettings = z.object(GateSettings.shape);
const ReadSettings = z.object(TrainingSettings.shape);
const ReadFollow = z.object({ deploy: z.object(JobFollow.shape.deploy.unwrap().shape).optional() });

const spec = {
  account: AccountId,
  base: z.string().min(1).max(200),
  dataset: z.union([DatasetId, TuningName]),
  /** Absent = the newest ready version. */
  version: VersionNumber.optional(),
  /** Name of the job and of its adapter; absent = made from the data set's. */
  name: TuningName.optional(),
  /** Absent = the trainer that can train the base and is installed. */
  trainer: z.string().max(64).optional(),
  settings: TrainingSettings.optional(),
  gate: GateSettings.optional(),
  follow: JobFollow.optional(),
  /** -1, 0 or 1, among the account's own jobs. */
  priority: z.int().min(-1).max(1).optional(),
  /** The job whose settings were taken over. */
  source_job: JobId.optional(),
};

/** The data set whose conversations must not change, in the version that is compared. */
const KeepSet = z.object({ dataset: DatasetId, name: z.string(), version: VersionNumber });

/** What a job would do. `low` and `high`: null = unknown until this base was trained once on a worker. */
export const JobPlan = z.object({
  base: z.string(),
  trainer: z.string().max(64),
  dataset: DatasetId,
  version: VersionNumber,
  /** Of `gate.keep_dataset`; null = the built-in one of the bundled model, or none. */
  keep_set: KeepSet.nullable().optional(),
  settings: z.array(ResolvedSetting).max(64),
  examples: z.int().nonnegative(),
  held_out: z.int().nonnegative(),
  left_out: z.int().nonnegative(),
  steps: z.int().nonnegative(),
  /** Tokens learned in all epochs. */
  learned_tokens: z.int().nonnegative(),
  seconds: z.object({ low: z.int().nonnegative(), high: z.int().nonnegative(), from: z.string().max(300) }).nullable(),
  /** Of the trainer and of what scores beside it; null = unknown, for lack of the base's shape. */
  memory_bytes: z.int().nonnegative().nullable(),
  /** Where it would run now, or why nowhere. */
  placement: z.string().max(300),
  warnings: z.array(z.object({ code: z.string().max(64), message: z.string().max(500) })).max(32),
});
export type JobPlan = z.infer<typeof JobPlan>;

/** What `CreateJob` would do. Changes nothing. */
export const PlanJob = defineRpc({
  subject: 'tun.{env}.v1.rpc.plan-job',
  ...tuningText,
  request: z.object(spec),
  reply: z.object({ plan: JobPlan }),
  errors: ['dataset_not_found', 'dataset_not_ready', 'base_not_found', 'base_not_trainable', 'trainer_unavailable', 'job_not_found'],
});

/** Makes a job and queues it. */
export const CreateJob = defineRpc({
  subject: 'tun.{env}.v1.rpc.create-job',
  ...tuningChange,
  request: z.object({ ...spec, idempotency_key: IdempotencyKey.optional(), ...actorField }),
  reply: z.object({ job: JobId }),
  errors: [
    'dataset_not_found',
    'dataset_not_ready',
    'base_not_found',
    'base_not_trainable',
    'job_not_found',
    'name_taken',
    'quota_exceeded',
    'rate_limit_exceeded',
  ],
});

/** A job. */
export const JobView = z.object({
  id: JobId,
  name: TuningName,
  base: z.string(),
  dataset: DatasetId,
  dataset_name: z.string(),
  version: VersionNumber,
  /** Of `gate.keep_dataset`; null = the built-in one of the bundled model, or none. */
  keep_set: KeepSet.nullable().optional(),
  trainer: z.string().max(64),
  settings: z.array(ResolvedSetting).max(64),
  given: ReadSettings,
  gate: ReadGateSettings,
  follow: ReadFollow,
  priority: z.int().min(-1).max(1),
  desired: enumOr(JobDesired, 'run'),
  state: enumOr(JobState, 'running'),
  reason: JobReason.nullable(),
  /** For people. */
  detail: z.string().max(1_000).nullable(),
  /** Place in line while it is queued, from 1. */
  place: z.int().positive().nullable(),
  attempt: z.int().nonnegative(),
  /** Host that runs it. */
  host: z.string().max(255).nullable(),
  step: z.int().nonnegative(),
  steps: z.int().nonnegative().nullable(),
  epoch: z.number().nonnegative().nullable(),
  /** Of the whole job. */
  progress: z.number().min(0).max(1).nullable(),
  eta_s: z.int().nonnegative().nullable(),
  loss: z.number().nullable(),
  held_loss: z.number().nullable(),
  best_step: z.int().nonnegative().nullable(),
  learned_tokens: z.int().nonnegative().nullable(),
  device_seconds: z.number().nonnegative(),
  adapter: AdapterId.nullable(),
  /** Whether the gate was passed; null = not decided yet. */
  passed: z.boolean().nullable(),
  source_job: JobId.nullable(),
  created_by: ChangedBy,
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
});
export type JobView = z.infer<typeof JobView>;

const target = { account: AccountId, job: JobId };
const change = { ...tuningChange, reply: z.object({ job: JobId, state: enumOr(JobState, 'running') }) } as const;

/** Stores a checkpoint and frees the slot. A job paused for 30 days is cancelled. Repeating it is harmless. */
export const PauseJob = defineRpc({
  subject: 'tun.{env}.v1.rpc.pause-job',
  ...change,
  request: z.object({ ...target, ...actorField }),
  errors: ['job_not_found', 'job_finished', 'rate_limit_exceeded'],
});

/** Queues a paused job again, from its checkpoint. Repeating it is harmless. */
export const ResumeJob = defineRpc({
  subject: 'tun.{env}.v1.rpc.resume-job',
  ...change,
  request: z.object({ ...target, ...actorField }),
  errors: ['job_not_found', 'job_finished', 'rate_limit_exceeded'],
});

/** Ends a job. With `keep` its best checkpoint becomes an adapter. Repeating it is harmless. */
export const CancelJob = defineRpc({
  subject: 'tun.{env}.v1.rpc.cancel-job',
  ...change,
  request: z.object({ ...target, keep: z.boolean().optional(), ...actorField }),
  errors: ['job_not_found', 'job_finished', 'rate_limit_exceeded'],
});

/** Changes a waiting job's priority among the account's jobs. */
export const SetJobPriority = defineRpc({
  subject: 'tun.{env}.v1.rpc.set-job-priority',
  ...change,
  request: z.object({ ...target, priority: z.int().min(-1).max(1), ...actorField }),
  errors: ['job_not_found', 'job_finished', 'rate_limit_exceeded'],
});

/** Jobs of an account, newest first, in pages of at most 100. */
export const ListJobs = defineRpc({
  subject: 'tun.{env}.v1.rpc.list-jobs',
  ...tuningRead,
  request: z.object({
    account: AccountId,
    states: z.array(JobState).max(JOB_STATES.length).optional(),
    dataset: DatasetId.optional(),
    /** Only jobs with lower numbers: `next` of the previous reply. */
    before: JobId.optional(),
  }),
  reply: z.object({ jobs: eachReadable(JobView, 100), next: JobId.nullable() }),
  errors: [],
});

/** One job. */
export const FindJob = defineRpc({
  subject: 'tun.{env}.v1.rpc.find-job',
  ...tuningRead,
  request: z.object(target),
  reply: z.object({ job: JobView }),
  errors: ['job_not_found'],
});

/** One point of a job's curve. */
export const MetricPoint = z.object({
  step: z.int().nonnegative(),
  at: z.iso.datetime(),
  epoch: z.number().nonnegative().nullable(),
  loss: z.number().nullable(),
  held_loss: z.number().nullable(),
  accuracy: z.number().nullable(),
  /** Of preferences: how far chosen answers are ahead of rejected ones, beside the base. Absent = none. */
  margin: z.number().nullable().optional(),
  lr: z.number().nullable(),
  tokens_per_s: z.number().nonnegative().nullable(),
});
export type MetricPoint = z.infer<typeof MetricPoint>;

/** The curve since a step, ascending, at most 2,000 points: of more, each bucket keeps its lowest and highest loss and every held-out one. */
export const ReadMetrics = defineRpc({
  subject: 'tun.{env}.v1.rpc.read-metrics',
  ...tuningRead,
  request: z.object({ ...target, since: z.int().nonnegative().optional() }),
  reply: z.object({ points: eachReadable(MetricPoint, 2_000) }),
  errors: ['job_not_found'],
});

/** Something that happened to a job: a stable code with data, and a sentence for people. */
export const JobEvent = z.object({
  n: z.int().positive(),
  at: z.iso.datetime(),
  level: enumOr(z.enum(['info', 'warn', 'error']), 'info'),
  code: z.string().max(64),
  message: z.string().max(500),
  data: z.record(z.string().max(64), z.union([z.string().max(500), z.number(), z.boolean(), z.null()])),
});
export type JobEvent = z.infer<typeof JobEvent>;

/** Events of a job in their order, in pages of at most 500. */
export const ReadJobEvents = defineRpc({
  subject: 'tun.{env}.v1.rpc.read-job-events',
  ...tuningRead,
  request: z.object({ ...target, after: z.int().nonnegative().optional() }),
  reply: z.object({ events: eachReadable(JobEvent, 500), next: z.int().positive().nullable() }),
  errors: ['job_not_found'],
});

/** The newest lines that the trainer printed, oldest first, below 256 KiB. They can repeat what was learned, so viewers get none. */
export const ReadJobLog = defineRpc({
  subject: 'tun.{env}.v1.rpc.read-job-log',
  ...tuningText,
  agents: false,
  request: z.object({ ...target, lines: z.int().min(1).max(2_000).optional() }),
  reply: z.object({
    lines: z.array(z.object({ at: z.iso.datetime(), attempt: z.int().positive(), text: z.string().max(1_000) })).max(2_000),
  }),
  errors: ['job_not_found', 'not_permitted'],
});

/** Answers of a checkpoint, or of the base at step 0, to the prompts that the job shows. */
export const JobSample = z.object({
  step: z.int().nonnegative(),
  /** 0, 1, 2: which prompt. */
  prompt_no: z.int().nonnegative().max(15),
  prompt: z.string().max(2_000),
  answer: z.string().max(2_000),
  expected: z.string().max(2_000),
});
export type JobSample = z.infer<typeof JobSample>;

/** Answers over time. Text of the data set: for members. */
export const ReadJobSamples = defineRpc({
  subject: 'tun.{env}.v1.rpc.read-job-samples',
  ...tuningText,
  request: z.object({ ...target, ...actorField }),
  reply: z.object({ samples: eachReadable(JobSample, 1_000) }),
  errors: ['job_not_found', 'not_permitted'],
});

/** A stored state of a job's training. */
export const CheckpointView = z.object({
  step: z.int().nonnegative(),
  attempt: z.int().positive(),
  bytes: z.int().nonnegative(),
  held_loss: z.number().nullable(),
  /** Answers that repeated themselves or did not end. */
  degenerate: z.int().nonnegative().nullable(),
  best: z.boolean(),
  at: z.iso.datetime(),
});
export type CheckpointView = z.infer<typeof CheckpointView>;

/** Checkpoints that are kept: the best three and the newest. */
export const ListCheckpoints = defineRpc({
  subject: 'tun.{env}.v1.rpc.list-checkpoints',
  ...tuningRead,
  request: z.object(target),
  reply: z.object({ checkpoints: eachReadable(CheckpointView, 1_000) }),
  errors: ['job_not_found'],
});
