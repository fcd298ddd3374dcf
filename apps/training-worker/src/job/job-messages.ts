import type { JobSample, LogLevel } from '@slipway/contracts';
import type { ModelFacts } from '../scoring.js';
import type { TrainerSettings } from '../trainers/trainers.js';
import type { TrainingFaultCode } from '../training-fault.js';
import type { ImportedAdapter, ImportTask } from '../training/import-adapter.js';
import type {
  AdapterResult,
  CurvePoint,
  ScoredCheckpoint,
  StopTraining,
  TrainingEvent,
  TrainingJob,
  TrainingSink,
} from '../training/training-job.js';

/** A job as it travels to its process: the trainer by its name. */
export type SentJob = Omit<TrainingJob, 'trainer'> & { readonly trainer: string };

/** Lengths of the examples of a data set, or of its first ones. */
export interface Measure {
  /** Examples of the data set, and those that were counted. */
  readonly examples: number;
  readonly counted: number;
  readonly tokens: number;
  readonly learnedTokens: number;
  /** Tokens of each example that can be learned. */
  readonly lengths: readonly number[];
  readonly overContext: number;
}

/** What a process of this worker does before it ends. */
export type Task =
  | { readonly k: 'train'; readonly job: SentJob; readonly trainers: TrainerSettings }
  | { readonly k: 'describe'; readonly path: string }
  | { readonly k: 'import'; readonly adapter: ImportTask }
  | { readonly k: 'measure'; readonly base: string; readonly dataset: string; readonly sample: number | null };

/** The agent to the process of a task. */
export type ToTask =
  | { readonly k: 'task'; readonly task: Task; readonly logLevel: LogLevel }
  | { readonly k: 'log level'; readonly level: LogLevel }
  | { readonly k: 'stop'; readonly how: StopTraining['how'] }
  /** The checkpoint with this number was stored, or could not be. */
  | { readonly k: 'stored'; readonly no: number; readonly ok: boolean };

/** How a training ended, as it travels. */
export type SentOutcome =
  | { readonly state: 'succeeded'; readonly adapter: AdapterResult }
  | { readonly state: 'paused' }
  | { readonly state: 'cancelled'; readonly adapter: AdapterResult | null }
  | { readonly state: 'failed'; readonly code: TrainingFaultCode; readonly message: string };

/** The process of a task to its agent. */
export type FromTask =
  | { readonly k: 'state'; readonly state: Parameters<TrainingSink['state']>[0]; readonly progress: number | null }
  | { readonly k: 'plan'; readonly steps: number; readonly learnedTokens: number }
  | { readonly k: 'point'; readonly point: CurvePoint }
  | { readonly k: 'event'; readonly event: TrainingEvent }
  | { readonly k: 'samples'; readonly samples: readonly JobSample[] }
  | { readonly k: 'log'; readonly line: string }
  | { readonly k: 'checkpoint'; readonly no: number; readonly checkpoint: ScoredCheckpoint }
  | { readonly k: 'outcome'; readonly outcome: SentOutcome }
  | { readonly k: 'described'; readonly facts: ModelFacts | null }
  | { readonly k: 'measured'; readonly measure: Measure }
  | { readonly k: 'imported'; readonly adapter: ImportedAdapter };
