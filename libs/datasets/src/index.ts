/**
 * Reads, checks and converts training files, and orders their examples. Streams: memory does not grow with the file.
 * @packageDocumentation
 */
export { DATASET_LIMITS } from './limits.js';
export type { DatasetLimits } from './limits.js';
export { validateDataset } from './validate-dataset.js';
export type {
  CanonicalBatch,
  InvalidReason,
  LengthCounter,
  ValidationOptions,
  ValidationProgress,
  ValidationResult,
  ValidationSinks,
} from './validation.js';
export { rulesOf } from './rules.js';
export { unnamedIssue } from './unnamed-issue.js';
export { detectFormat } from './detect.js';
export type { DetectedFormat } from './detect.js';
export { plainBytes, FileRefused } from './bytes/plain-bytes.js';
export { convertArray } from './bytes/convert-array.js';
export { readExample } from './read-example.js';
export type { ReadExample } from './read-example.js';
export type { CanonicalCall, CanonicalExample, CanonicalMessage, ChatExample, Offer, PreferenceExample, Role } from './example.js';
export { PLACES } from './split.js';
export type { SplitPlan } from './split.js';
export { repeatsItself, textRepeatsItself } from './self-repetition.js';
export { shuffledOrder } from './shuffle.js';
export { keepSet, sampleDataset } from './sample.js';
