export * from './adapter-imports.js';
export * from './adapters.js';
export * from './bases.js';
export * from './dataset-formats.js';
export * from './datasets.js';
export * from './evaluation-suites.js';
export * from './evaluations.js';
export * from './jobs.js';
export * from './trained-adapter.js';
export * from './trainers.js';
export * from './training.js';
export * from './training-memory.js';
export {
  AdapterId,
  DatasetId,
  EvaluationId,
  JobId,
  Sha256,
  SuiteId,
  Ticket,
  TuningName,
  UploadId,
  VersionNumber,
} from './tuning-ids.js';
export * from './tuning-quotas.js';
export * from './uploads.js';
