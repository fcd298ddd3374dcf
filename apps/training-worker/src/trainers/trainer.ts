import type { TrainerFacts } from '@slipway/contracts';
import type { TrainingFault } from '../training-fault.js';
import type { TrainerEvent } from './trainer-events.js';
import type { TrainerLimits } from './trainer-start.js';

/** What is learned: answers of conversations, or the preference of one answer to another. */
export type TrainingMethod = 'sft' | 'dpo';

/** How the learning rate falls. */
export type RateSchedule = 'constant' | 'cosine' | 'linear';

/** Settings of a run, resolved: a trainer decides nothing by itself. */
export interface RunSettings {
  /** Absolute path of the base's GGUF. */
  readonly base: string;
  /** Whether `held.jsonl` exists. */
  readonly held: boolean;
  readonly rank: number;
  readonly alpha: number;
  /** Matrices that get an adapter, as GGUF names them: `attn_q`, `ffn_up`. */
  readonly modules: readonly string[];
  readonly rate: number;
  /** What the rate falls to. */
  readonly leastRate: number;
  readonly schedule: RateSchedule;
  readonly epochs: number;
  /** Examples of one step. */
  readonly batch: number;
  readonly method: TrainingMethod;
  /** Of `dpo`: how much the distance from the base counts. */
  readonly beta: number;
  readonly seed: number;
  /** Tokens of the longest example, rounded up to 32. */
  readonly tokens: number;
  /** Steps between two checkpoints. */
  readonly checkpointSteps: number;
  /** Where to continue; absent = from the beginning. */
  readonly resume?: { readonly step: number; readonly path: string };
}

/** One run of a trainer. */
export interface TrainingRun {
  /** A folder of its own, with the files that its `input` says. */
  readonly folder: string;
  readonly settings: RunSettings;
  /** Absent = none. */
  readonly limits?: TrainerLimits;
}

/** Receives what a trainer reports, in order. */
export interface TrainerSink {
  event(event: TrainerEvent): void;
  /** A line that the trainer or one of its libraries printed. */
  log(line: string): void;
}

/** How a run ended. */
export type TrainerEnd =
  /** @param path the adapter, absolute */
  | { readonly kind: 'saved'; readonly path: string }
  | { readonly kind: 'paused' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'failed'; readonly fault: TrainingFault };

/** A run in progress. */
export interface TrainerProcess {
  /** Its process id; 0 where it could not be started. */
  readonly pid: number;
  /** Asks for a checkpoint and the end. A trainer that is finished already ends as `saved`. */
  pause(): void;
  /** Asks for the end; nothing is kept. Kills a trainer that does not end within 10 s. */
  cancel(): void;
  /** Kills it at once. It ends as cancelled. */
  kill(): void;
  /** Never rejects. */
  readonly ended: Promise<TrainerEnd>;
}

/** A program that trains adapters. */
export interface Trainer {
  /** `embedded`, or what its manifest says. */
  readonly name: string;
  /**
   * What it reads: `train.jsonl` with text in pieces, and `template.jinja` that joins them; or `train.tokens.jsonl` with tokens and the
   * places of those that are learned. Absent = text.
   */
  readonly input?: 'text' | 'tokens';
  /** Whether it learns exactly the pieces of the role `assistant`; else it finds the answers by itself, and learns all of them. */
  readonly takesWeights: boolean;
  /** What it can do on this machine, and the memory that it takes. Never rejects: `detail` says why it cannot be used. */
  probe(): Promise<TrainerFacts>;
  /** Brings what is missing, once per machine. `onProgress` gets what is done at the moment. @throws TrainingFault `trainer_unavailable` with the reason */
  install(signal: AbortSignal, onProgress?: (what: string) => void): Promise<void>;
  /** Starts the child process. */
  start(run: TrainingRun, sink: TrainerSink): Promise<TrainerProcess>;
}
