import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { actorField } from '../identity/audit.js';
import { AccountId } from '../ids.js';
import { enumOr } from '../schemas.js';
import { FileReading, tuningChange, tuningRead } from './datasets.js';
import { DatasetId, IdempotencyKey, Sha256, Ticket, UploadId, VersionNumber } from './tuning-ids.js';

/** `complete`: all bytes are there, and a version or an adapter is made of them. */
export const UploadState = z.enum(['open', 'complete', 'expired', 'cancelled']);
export type UploadState = z.infer<typeof UploadState>;

/** An upload of one file: into a data set, or of an adapter. */
export const UploadView = z.object({
  id: UploadId,
  /** Null = the file of an adapter. */
  dataset: DatasetId.nullable(),
  state: enumOr(UploadState, 'open'),
  file_name: z.string().max(255).nullable(),
  declared_bytes: z.int().nonnegative().nullable(),
  received: z.int().nonnegative(),
  /** The version that was made of it. */
  version: VersionNumber.nullable(),
  expires_at: z.iso.datetime(),
});
export type UploadView = z.infer<typeof UploadView>;

/**
 * Opens an upload. Its bytes go to `<console>/uploads/<ticket>`: by the tus 1.0 core protocol, which resumes, or as the body of one
 * PUT. The ticket is the only credential there; it adds bytes to this upload, reads nothing and is void once the upload ends.
 */
export const OpenUpload = defineRpc({
  subject: 'tun.{env}.v1.rpc.open-upload',
  ...tuningChange,
  request: z.object({
    account: AccountId,
    dataset: DatasetId,
    /** Size as it is sent, so of the compressed file. Absent = unknown until the upload ends. */
    bytes: z.int().positive().optional(),
    file_name: z.string().max(255).optional(),
    /** Of the bytes as they are sent; compared at the end. */
    sha256: Sha256.optional(),
    ...FileReading,
    idempotency_key: IdempotencyKey.optional(),
    ...actorField,
  }),
  reply: z.object({
    upload: UploadId,
    ticket: Ticket,
    /** Path on the console. */
    path: z.string().max(1_200),
    expires_at: z.iso.datetime(),
    max_bytes: z.int().positive(),
  }),
  errors: ['dataset_not_found', 'quota_exceeded', 'request_too_large', 'rate_limit_exceeded'],
});

/** State of an upload. */
export const FindUpload = defineRpc({
  subject: 'tun.{env}.v1.rpc.find-upload',
  ...tuningRead,
  request: z.object({ account: AccountId, upload: UploadId }),
  reply: z.object({ upload: UploadView }),
  errors: ['upload_not_found'],
});

/** Ends an upload without a version; its bytes are removed. Repeating it is harmless. */
export const CancelUpload = defineRpc({
  subject: 'tun.{env}.v1.rpc.cancel-upload',
  ...tuningChange,
  request: z.object({ account: AccountId, upload: UploadId, ...actorField }),
  reply: z.object({ upload: UploadView }),
  errors: ['upload_not_found', 'rate_limit_exceeded'],
});

/**
 * Where the console finds tuning-service's blob door, to which it relays uploads and downloads byte for byte: what comes to
 * `<console>/uploads/<ticket>` goes to `<url>/uploads/<ticket>`, and downloads alike. The door answers for tickets alone,
 * and alike for all that are not good.
 */
export const FindBlobDoor = defineRpc({
  subject: 'tun.{env}.v1.rpc.find-blob-door',
  owner: 'tuning',
  callers: ['console', 'trainer', 'worker', 'agent', 'runner'],
  proof: 'role',
  queue: 'tuning',
  request: z.object({}),
  reply: z.object({ url: z.url().max(2_048) }),
  errors: [],
  timeoutMs: 3_000,
});
