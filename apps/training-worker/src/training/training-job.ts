import type { AnswerPair, GateSettings, JobSample, Verdict, Witness } from '@slipway/contracts';
import type { TrainingFault } from '../training-fault.js';
import type { RateSchedule, Trainer, TrainingMethod } from '../trainers/trainer.js';

/** Settings of a job, all resolved. */
export interface JobSettings {
  readonly rank: number;
  readonly alpha: number;
  readonly rate: number;
  readonly schedule: RateSchedule;
  readonly epochs: number;
  /** Examples of one step. */
  readonly batch: number;
  readonly method: TrainingMethod;
  /** Of `dpo`: how much the distance from the base counts. */
  readonly beta: number;
  readonly seed: number;
  /** Part of the examples that is held out; 0 = none. */
  readonly heldOut: number;
  /** Places of prompts that are learned wherever they lie. */
  readonly learned: readonly number[];
  readonly tooLong: 'leave_out' | 'cut' | 'refuse';
  readonly earlyStop: boolean;
  readonly timeLimitS: number;
}

/** A job on this machine, with everything it reads in local files. */
export interface TrainingJob {
  /** A folder of its own; what a former attempt left in it is removed. */
  readonly folder: string;
  readonly trainer: Trainer;
  /** Path and SHA-256 of the base's GGUF, and the SHA-256 of its chat template. */
  readonly base: { readonly path: string; readonly sha256: string; readonly templateSha256: string };
  /** Canonical JSONL. */
  readonly dataset: string;
  /** Canonical JSONL of conversations that must not change; null = none. */
  readonly keepSet: string | null;
  readonly settings: JobSettings;
  readonly gate: GateSettings;
  /** Folder in which hashes of files are remembered. */
  readonly hashFolder: string;
  /** Threads for scoring. */
  readonly threads: number;
  /** Memory that the trainer may take, in bytes; absent = all. */
  readonly memory?: number;
  /** A stored checkpoint to continue from. */
  readonly resume: ResumePoint | null;
  /** Makes the adapter of that checkpoint, and trains no further: the job was cancelled. */
  readonly keepOnly?: boolean;
}

/** The two files of a stored checkpoint. */
export interface ResumePoint {
  readonly step: number;
  readonly adapter: string;
  readonly state: string;
}

/** A checkpoint that was scored. `state` = all of it but the adapter, packed. */
export interface ScoredCheckpoint {
  readonly step: number;
  readonly adapter: string;
  readonly state: string;
  readonly bytes: number;
  readonly heldLoss: number | null;
  readonly degenerate: number | null;
}

/** A point of the curve. */
export interface CurvePoint {
  readonly step: number;
  readonly epoch: number | null;
  readonly loss: number | null;
  readonly heldLoss: number | null;
  readonly accuracy: number | null;
  /** Of `dpo`: how far chosen answers are ahead of rejected ones. */
  readonly margin: number | null;
  readonly rate: number | null;
  readonly tokensPerSecond: number | null;
}

/** What happened, by a stable code. Facts hold no text of examples. */
export interface TrainingEvent {
  readonly level: 'info' | 'warn' | 'error';
  readonly code: string;
  readonly message: string;
  readonly data: Readonly<Record<string, string | number | boolean | null>>;
}

/** Receives the progress of a job. */
export interface TrainingSink {
  /** @param progress of `starting`, 0 to 1 */
  state(state: 'starting' | 'running' | 'finishing' | 'evaluating', progress: number | null): void;
  /** Once, when it is known. */
  plan(plan: { readonly steps: number; readonly learnedTokens: number }): void;
  point(point: CurvePoint): void;
  event(event: TrainingEvent): void;
  samples(samples: readonly JobSample[]): void;
  /** A line of the trainer; may repeat what is learned. */
  log(line: string): void;
  /** Stores a checkpoint. Its files stay where they are until this has resolved. A rejection costs that checkpoint only. */
  checkpoint(checkpoint: ScoredCheckpoint): Promise<void>;
}

/** A trained adapter in both forms. */
export interface AdapterResult {
  readonly step: number;
  /** LoRA as GGUF. */
  readonly gguf: string;
  /** Tar of the PEFT form. */
  readonly peft: string;
  readonly rank: number;
  readonly alpha: number;
  readonly modules: readonly string[];
  readonly baseSha256: string;
  readonly templateSha256: string;
  readonly tokenizerSha256: string;
  readonly witness: Witness;
  readonly verdict: Verdict;
  /** Answers before and after, the worst first. */
  readonly pairs: readonly AnswerPair[];
}

/** How a job ended on this machine. */
export type TrainingOutcome =
  | { readonly state: 'succeeded'; readonly adapter: AdapterResult }
  | { readonly state: 'paused' }
  /** @param adapter of the best checkpoint, where that was to be kept */
  | { readonly state: 'cancelled'; readonly adapter: AdapterResult | null }
  | { readonly state: 'failed'; readonly fault: TrainingFault };

/** The reason with which the signal of a job is aborted. Any other reason cancels it. */
export class StopTraining extends Error {
  override readonly name = 'StopTraining';

  /** `keep` = cancel, and make an adapter of the best checkpoint. */
  constructor(readonly how: 'pause' | 'cancel' | 'keep') {
    super(`The training is to ${how}.`);
  }
}
