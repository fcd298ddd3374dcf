import type { DatasetIssue } from '@slipway/contracts';
import type { ValidationOptions, ValidationProgress, ValidationResult } from '@slipway/datasets';
import type { StagedFile } from '../blobs/sealed-file.js';

/** What a validation thread is given. */
export interface ValidationTask {
  readonly original: { readonly path: string; readonly key: Uint8Array | null; readonly bytes: number };
  /** Seals what the thread writes; null = nothing is sealed. */
  readonly key: Uint8Array | null;
  readonly paths: { readonly canonical: string; readonly rejected: string; readonly index: string };
  readonly options: Omit<ValidationOptions, 'signal' | 'lengths'>;
}

/** Files that a validation wrote. */
export interface ValidatedFiles {
  readonly canonical: StagedFile;
  readonly index: StagedFile;
  /** Null = no line was refused. */
  readonly rejected: StagedFile | null;
}

/** What a validation thread says. */
export type ValidationMessage =
  | { readonly kind: 'progress'; readonly progress: ValidationProgress; readonly issues: readonly DatasetIssue[] }
  | { readonly kind: 'done'; readonly result: ValidationResult; readonly files: ValidatedFiles; readonly issues: readonly DatasetIssue[] }
  | { readonly kind: 'failed'; readonly message: string };
