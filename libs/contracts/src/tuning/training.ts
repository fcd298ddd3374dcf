import { z } from 'zod';
import { defineEvent, defineRpc } from '../channel.js';
import { AccountId, Incarnation } from '../ids.js';
import { eachReadable, enumOr, openEnum } from '../schemas.js';
import { AnswerPair, Verdict } from './adapters.js';
import { CheckpointView, JobDesired, JobEvent, JobReason, JobSample, MetricPoint, ReadGateSettings } from './jobs.js';
import { MeasureView } from './datasets.js';
import { TrainedAdapter } from './trained-adapter.js';
import { BaseShape, TrainerMemory } from './training-memory.js';
import { AdapterId, DatasetId, JobId, Sha256, Ticket, UploadId, VersionNumber } from './tuning-ids.js';

/** A model file that a training worker has. */
export const TrainerBase = z.object({
  base: z.string().min(1).max(200),
  path: z.string().min(1).max(4_096),
  architecture: z.string().max(64),
  parameters: z.int().nonnegative().nullable(),
  context: z.int().positive(),
  bytes: z.int().nonnegative(),
  sha256: Sha256,
  template_sha256: Sha256,
  tokenizer_sha256: Sha256,
  /** Learned tokens a second that this worker measured on it; null = it never trained it. */
  pace: z.number().positive().nullable(),
  /** Absent where the file does not say, and from workers before 0.2. */
  shape: BaseShape.optional(),
});
export type TrainerBase = z.infer<typeof TrainerBase>;

/** A trainer on a worker. */
export const TrainerFacts = z.object({
  name: z.string().max(64),
  installed: z.boolean(),
  /** It can train now: it is installed, or its worker installs it before its first job. */
  usable: z.boolean(),
  /** What to run, or why it cannot be installed. */
  detail: z.string().max(500).nullable(),
  version: z.string().max(64).nullable(),
  architectures: z.array(z.string().max(64)).max(64),
  methods: z.array(z.string().max(32)).max(8),
  pause: z.boolean(),
  /** Absent from workers before 0.2. */
  memory: TrainerMemory.optional(),
});
export type TrainerFacts = z.infer<typeof TrainerFacts>;

/** A training worker's report, each second and on change. A worker silent for 15 s is lost, and its jobs are placed again. */
export const TrainerHeartbeat = defineEvent({
  subject: 'tun.{env}.v1.hb.{tw}',
  publishers: ['trainer'],
  subscribers: ['tuning'],
  message: z.object({
    tw: Incarnation,
    host: z.string().max(255),
    /** A slot trains one job at a time. */
    slots: eachReadable(
      z.object({
        id: z.string().max(64),
        device: enumOr(z.enum(['cpu', 'gpu']), 'cpu'),
        /** Memory for training. */
        bytes: z.int().nonnegative(),
        running: z.object({ job: JobId, attempt: z.int().positive() }).nullable(),
      }),
      64,
    ),
    trainers: eachReadable(TrainerFacts, 16),
    bases: eachReadable(TrainerBase, 500),
    disk_free: z.int().nonnegative(),
    /** Of the same disk. Absent from workers before 0.2. */
    disk_total: z.int().nonnegative().optional(),
    draining: z.boolean(),
    features: z.array(z.string().max(64)).max(32),
    /** The assignment that it applies now; null before the first. */
    assigned: z.object({ term: z.int().positive(), no: z.int().positive() }).nullable(),
  }),
});
export type TrainerHeartbeat = z.infer<typeof TrainerHeartbeat.message>;

/** Settings of a training as the trainer gets them: resolved, none absent. */
export const TrainingSpec = z.object({
  trainer: z.string().max(64),
  base: z.string().max(200),
  base_sha256: Sha256,
  template_sha256: Sha256,
  method: z.enum(['sft', 'dpo']),
  rank: z.int().positive(),
  alpha: z.number().positive(),
  learning_rate: z.number().positive(),
  epochs: z.int().positive(),
  schedule: z.enum(['cosine', 'linear', 'constant']),
  seed: z.int().nonnegative(),
  /** Examples of one step. Absent from services before 0.2, and = 1. */
  batch: z.int().positive().optional(),
  /** Of `dpo`: how much the distance from the base counts. Absent from services before 0.2. */
  beta: z.number().positive().optional(),
  /** Part of all prompts that are held out: those whose place by hash lies below, so the same in every version. */
  held_out: z.number().min(0).max(0.5),
  /** Places of prompts that are learned wherever they lie: small versions before learned them. Absent from services before 0.2, and = none. */
  learned: z.array(z.int().nonnegative()).max(1_000).optional(),
  too_long: z.enum(['leave_out', 'cut', 'refuse']),
  early_stop: z.boolean(),
  /** Seconds after which the training is ended. */
  time_limit_s: z.int().positive(),
});
export type TrainingSpec = z.infer<typeof TrainingSpec>;

/** Where a part of an adapter lies in the file that was uploaded: the GGUF, or weights and configuration of PEFT. */
export const ImportPart = z.object({
  part: z.enum(['gguf', 'weights', 'config']),
  from: z.int().nonnegative(),
  bytes: z.int().nonnegative(),
});
export type ImportPart = z.infer<typeof ImportPart>;

/** One job that a worker must run, one data set that it must measure, or one adapter from outside that it must check. */
export const TrainingItem = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('job'),
    job: JobId,
    account: AccountId,
    attempt: z.int().positive(),
    slot: z.string().max(64),
    desired: JobDesired,
    /** With desired `cancel`: make an adapter of the best checkpoint. */
    keep: z.boolean(),
    dataset: DatasetId,
    version: VersionNumber,
    spec: TrainingSpec,
    gate: ReadGateSettings,
    /** The data set of `gate.keep_dataset`, in the version that was the newest ready one when the job was created. Absent or null = none. */
    keep_set: z.object({ dataset: DatasetId, version: VersionNumber }).nullable().optional(),
    /** Newest stored checkpoint; null = start at step 0. */
    resume: z.object({ step: z.int().positive() }).nullable(),
  }),
  z.object({
    kind: z.literal('measure'),
    account: AccountId,
    dataset: DatasetId,
    version: VersionNumber,
    base: z.string().max(200),
    /** Examples that are counted; null = all. */
    sample: z.int().positive().nullable(),
  }),
  // Only for workers whose heartbeat has the feature `import`.
  z.object({
    kind: z.literal('import'),
    account: AccountId,
    import: UploadId,
    base: z.string().max(200),
    base_sha256: Sha256,
    parts: z.array(ImportPart).min(1).max(2),
    /** Absent = ordinary questions alone; workers before 0.2 ask no others. */
    prompts: z.array(z.string().min(1).max(2_000)).max(8).optional(),
  }),
]);
export type TrainingItem = z.infer<typeof TrainingItem>;

/**
 * Everything that a training worker must run; what is not listed is ended. Sent on change and every 2 s. A worker ignores a lower
 * term while it receives a higher one.
 */
export const TrainingAssignment = defineEvent({
  subject: 'tun.{env}.v1.wrk.{tw}',
  publishers: ['tuning'],
  subscribers: ['trainer'],
  message: z.object({
    term: z.int().positive(),
    /** Number of the message within the term. */
    no: z.int().positive(),
    items: eachReadable(TrainingItem, 256),
  }),
});
export type TrainingAssignment = z.infer<typeof TrainingAssignment.message>;

const trainerCall = { owner: 'tuning', queue: 'tuning', timeoutMs: 10_000 } as const;

/** Which attempt of which job calls. An older attempt gets `attempt_superseded` and must end at once. */
const attempt = { tw: Incarnation, job: JobId, attempt: z.int().positive() };

/** What names a stored blob. */
export const BlobName = z.discriminatedUnion('of', [
  /** Canonical JSONL of a data set's version. */
  z.object({ of: z.literal('version'), account: AccountId, dataset: DatasetId, version: VersionNumber }),
  /** Adapter and optimizer of a stored checkpoint. */
  z.object({ of: z.literal('checkpoint'), account: AccountId, job: JobId, step: z.int().positive(), part: z.enum(['adapter', 'state']) }),
  /** An adapter in one of its forms. */
  z.object({ of: z.literal('adapter'), account: AccountId, adapter: AdapterId, form: z.enum(['gguf', 'peft']) }),
  /** The uploaded file of an adapter. */
  z.object({ of: z.literal('import'), account: AccountId, import: UploadId }),
]);
export type BlobName = z.infer<typeof BlobName>;

/** A ticket to read one blob from the blob door by GET, with Range, for an hour. `url` contains it as `t`. */
export const OpenBlob = defineRpc({
  subject: 'tun.{env}.v1.rpc.open-blob',
  ...trainerCall,
  callers: ['trainer', 'worker', 'agent', 'runner'],
  request: z.object({ blob: BlobName }),
  reply: z.object({ url: z.url().max(4_096), sha256: Sha256, bytes: z.int().nonnegative(), expires_at: z.iso.datetime() }),
  errors: ['blob_not_found'],
});

/**
 * A ticket to write one blob of a job with one PUT, within an hour. `url` contains it as `t` already. The door answers 201 with
 * `{ sha256, bytes }` once the blob is stored, and 409 when the body has another hash.
 */
export const StoreBlob = defineRpc({
  subject: 'tun.{env}.v1.rpc.store-blob',
  ...trainerCall,
  callers: ['trainer'],
  request: z.object({ ...attempt, bytes: z.int().positive(), sha256: Sha256 }),
  reply: z.object({
    /** Null = the blob is stored already. */
    url: z.url().max(4_096).nullable(),
    ticket: Ticket.nullable(),
  }),
  errors: ['attempt_superseded', 'no_disk'],
});

/** States that a worker reports. */
export const ReportedState = z.enum(['starting', 'running', 'paused', 'finishing', 'evaluating', 'succeeded', 'cancelled', 'failed']);
export type ReportedState = z.infer<typeof ReportedState>;

/**
 * A worker's report of a job, once a second while there is something new. It is stored once it is answered, and repeated with the
 * same `seq` until then; a repeated report changes nothing.
 */
export const ReportTraining = defineRpc({
  subject: 'tun.{env}.v1.rpc.report-training',
  ...trainerCall,
  callers: ['trainer'],
  request: z.object({
    ...attempt,
    /** Rises by 1 with each report of the attempt. */
    seq: z.int().positive(),
    /**
     * Sent by the worker after one that died: of an attempt that is over, figures, events and lines are stored yet, and nothing else.
     * Services before 0.2 refuse such a report.
     */
    late: z.boolean().optional(),
    state: ReportedState.optional(),
    reason: JobReason.nullable().optional(),
    detail: z.string().max(1_000).nullable().optional(),
    /** Of the state `starting`. */
    progress: z.number().min(0).max(1).nullable().optional(),
    steps: z.int().nonnegative().optional(),
    learned_tokens: z.int().nonnegative().optional(),
    metrics: z.array(MetricPoint).max(2_000).optional(),
    events: z
      .array(JobEvent.omit({ n: true }))
      .max(100)
      .optional(),
    samples: z.array(JobSample).max(64).optional(),
    log: z
      .array(z.object({ at: z.iso.datetime(), text: z.string().max(1_000) }))
      .max(500)
      .optional(),
    checkpoint: CheckpointView.omit({ attempt: true, best: true, at: true })
      .extend({ adapter: Sha256, state: Sha256.nullable() })
      .optional(),
    adapter: TrainedAdapter.optional(),
    /** With `succeeded`, and with `cancelled` of a kept one. */
    verdict: Verdict.optional(),
    answers: z.array(AnswerPair).max(200).optional(),
    device_seconds: z.number().nonnegative().optional(),
  }),
  reply: z.object({
    seq: z.int().positive(),
    desired: JobDesired,
    /** The adapter that was made of `adapter`. */
    adapter: AdapterId.nullable(),
  }),
  errors: ['attempt_superseded'],
});

/** A worker's token counts of a version. */
export const ReportMeasure = defineRpc({
  subject: 'tun.{env}.v1.rpc.report-measure',
  ...trainerCall,
  callers: ['trainer'],
  request: z.object({
    tw: Incarnation,
    account: AccountId,
    dataset: DatasetId,
    version: VersionNumber,
    base_sha256: Sha256,
    template_sha256: Sha256,
    measure: MeasureView,
    /** Words for people where it could not be made. */
    failed: openEnum(['unreadable', 'no_base']).optional(),
  }),
  reply: z.object({}),
  errors: ['dataset_not_found'],
});
