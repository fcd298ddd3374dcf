export * from './adapters.js';
export * from './bases.js';
export * from './dataset-formats.js';
export * from './datasets.js';
export * from './jobs.js';
export * from './training.js';
export { AdapterId, DatasetId, JobId, Sha256, Ticket, TuningName, UploadId, VersionNumber } from './tuning-ids.js';
export * from './tuning-quotas.js';
export * from './uploads.js';
