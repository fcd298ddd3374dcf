/**
 * Model files on a host: downloads, their checks, and the cache that several agents share.
 * @packageDocumentation
 */
export { ModelDownloads } from './model-downloads.js';
export type { ModelDownloadsOptions } from './model-downloads.js';
export type { CachedModel, WantedModel } from './model-cache.js';
export { DownloadError } from './download-error.js';
export { FileHashes, fileIdentity } from './file-hashes.js';
export type { FileHash } from './file-hashes.js';
export { ForbiddenHostError, guardedFetch } from './guarded-fetch.js';
export type { GuardedFetchOptions } from './guarded-fetch.js';
export { fileVersion } from './file-version.js';
export type { WantedFile } from './model-downloads.js';
