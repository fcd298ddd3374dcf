import type {
  CsvColumns,
  DatasetFormat,
  DatasetIssue,
  DatasetKind,
  DatasetRepair,
  DatasetStatistics,
  IssueTotal,
} from '@slipway/contracts';
import type { DatasetLimits } from './limits.js';
import type { SplitPlan } from './split.js';

/** Counts the tokens of examples under one base's template. Given by the caller: this library knows no tokenizer. */
export interface LengthCounter {
  /** Tokens that the base takes. */
  readonly context: number;
  /** Tokens of one canonical example, given as its line without the newline. Called once for each kept example, in order. */
  count(line: string): number;
}

/** How a file is read and checked. Everything has a default. */
export interface ValidationOptions {
  /** Absent = found from the first 100 lines. */
  readonly format?: DatasetFormat;
  /** Columns of a CSV file. Absent = found from the names in its first line. */
  readonly columns?: CsvColumns;
  /** Repairs to apply. A file with refused examples is `ready` only with `leave_out_rejected`. */
  readonly repairs?: readonly DatasetRepair[];
  /** Texts that are control tokens of the base's template, such as `<|im_end|>`. */
  readonly controlTokens?: readonly string[];
  /** Reports examples that are longer than a base's context. */
  readonly lengths?: LengthCounter;
  /** Places of prompts that earlier versions learned: `ValidationResult.split` leaves them out. */
  readonly learned?: readonly number[];
  readonly limits?: Partial<DatasetLimits>;
  /** Ends the validation between two chunks; the promise is rejected with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Kept examples in canonical form, in the order of the file. The buffers belong to the receiver. */
export interface CanonicalBatch {
  /** Canonical lines, each with its newline. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** Byte length of each line with its newline. */
  readonly lengths: Uint32Array;
  /** Line of the uploaded file for each example. */
  readonly lines: Uint32Array;
  /** Rules that warned about each example, for `rulesOf`. */
  readonly warnings: Uint32Array;
  /** Hash of all before the last assistant message, for each example: equal for equal prompts of any version. */
  readonly prompts: BigUint64Array;
  /** Hash of each whole example: equal for equal examples of any version. */
  readonly examples: BigUint64Array;
}

/** How far a validation is. */
export interface ValidationProgress {
  /** Bytes read of the source, compressed where it is. */
  readonly bytes: number;
  readonly lines: number;
  readonly examples: number;
  readonly rejected: number;
  /** Issues that are kept. */
  readonly issues: number;
}

/** Where the results of a validation go while it runs. A returned promise is awaited before more of the file is read. */
export interface ValidationSinks {
  batch?(batch: CanonicalBatch): void | Promise<void>;
  /** Refused lines as they stand in the file, each with a newline; parts of lines that are too long are not among them. */
  rejected?(lines: Uint8Array): void | Promise<void>;
  /** Each issue that is kept, as it is found. */
  issue?(issue: DatasetIssue): void;
  /** After every chunk of the source. */
  progress?(progress: ValidationProgress): void;
}

/** Why a file cannot become a version; the words of `VersionView.reason`. */
export type InvalidReason = 'too_many_errors' | 'has_rejected' | 'empty' | 'unreadable' | 'too_large' | 'too_many_examples';

/** What came of a file. */
export interface ValidationResult {
  readonly state: 'ready' | 'invalid';
  /** Null where the file is ready. `has_rejected`: ready with the repair `leave_out_rejected`. */
  readonly reason: InvalidReason | null;
  /** For people; null where the file is ready. */
  readonly detail: string | null;
  readonly format: DatasetFormat;
  readonly kind: DatasetKind;
  /** Columns of a CSV file as they were read; null for other formats. */
  readonly columns: CsvColumns | null;
  /** Bytes of the file, decompressed. */
  readonly bytes: number;
  /** Bytes of all canonical lines. */
  readonly canonicalBytes: number;
  readonly lines: number;
  readonly examples: number;
  readonly rejected: number;
  /** Repeated examples that were left out; only with the repair `leave_out_duplicates`. */
  readonly leftOut: number;
  /** The first issues in the order of the file. */
  readonly issues: readonly DatasetIssue[];
  /** All issues by rule, the most frequent errors first. */
  readonly totals: readonly IssueTotal[];
  /** Repairs that would help, the best first. */
  readonly repairs: readonly DatasetRepair[];
  readonly statistics: DatasetStatistics;
  /** The most frequent system prompt: its hash, how many examples have it, and a line that holds it; null without system prompts. */
  readonly systemPrompt: { readonly hash: bigint; readonly examples: number; readonly line: number } | null;
  /** The split that the data set would begin with. Later versions use that of the first, so that no prompt changes sides. */
  readonly split: SplitPlan;
}
