import { z } from 'zod';
import { defineRpc } from '../channel.js';
import { ChangedBy } from '../deployments/deployment-audit.js';
import { actorField } from '../identity/audit.js';
import { AccountId, Incarnation } from '../ids.js';
import { eachReadable, enumOr, openEnum } from '../schemas.js';
import { TrainedAdapter } from './trained-adapter.js';
import { tuningChange, tuningRead } from './datasets.js';
import { AdapterId, IdempotencyKey, Sha256, Ticket, TuningName, UploadId } from './tuning-ids.js';

/** Feature of training workers that check adapters from outside. Others are given none. */
export const IMPORT_FEATURE = 'import';

/** What becomes of the file of an adapter. `waiting`: for a training worker that has the base. */
export const ImportState = z.enum(['uploading', 'waiting', 'checking', 'ready', 'failed', 'cancelled']);
export type ImportState = z.infer<typeof ImportState>;

/** Why an import waits or failed. */
export const IMPORT_REASONS = [
  'no_worker',
  'not_an_adapter',
  'pickle',
  'base_unknown',
  'base_changed',
  'adapter_mismatch',
  'no_effect',
  'storage_failed',
  'worker_failed',
] as const;
/** Reason of an import's state; a reader keeps an unknown word. */
export const ImportReason = openEnum(IMPORT_REASONS);

/** An adapter that comes from outside, named by its upload. */
export const AdapterImportView = z.object({
  upload: UploadId,
  name: TuningName,
  state: enumOr(ImportState, 'checking'),
  reason: ImportReason.nullable(),
  /** For people. */
  detail: z.string().max(1_000).nullable(),
  /** Name of its base; null = the file must say it, and was not read yet. */
  base: z.string().max(200).nullable(),
  /** The adapter that was made of it. */
  adapter: AdapterId.nullable(),
  created_by: ChangedBy,
  created_at: z.iso.datetime(),
});
export type AdapterImportView = z.infer<typeof AdapterImportView>;

/** What an adapter was trained for, where ordinary questions do not show that it does anything: its witness asks these, too. */
export const WitnessPrompts = z.array(z.string().trim().min(1).max(2_000)).min(1).max(8);

/**
 * Opens an upload of an adapter: a tar archive with `adapter_model.safetensors` and `adapter_config.json`, a GGUF, or what
 * `ExportAdapter` wrote. Its bytes go to `<console>/uploads/<ticket>`, as those of data sets do. Once they are there, a training
 * worker that has the base checks them, and makes the next version of the adapter.
 */
export const ImportAdapter = defineRpc({
  subject: 'tun.{env}.v1.rpc.import-adapter',
  ...tuningChange,
  request: z.object({
    account: AccountId,
    name: TuningName,
    /** Absent = the one whose SHA-256 stands on the card in the file. */
    base: z.string().min(1).max(200).optional(),
    prompts: WitnessPrompts.optional(),
    bytes: z.int().positive().optional(),
    file_name: z.string().max(255).optional(),
    /** Of the bytes as they are sent; compared at the end. */
    sha256: Sha256.optional(),
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
  errors: ['base_not_found', 'quota_exceeded', 'request_too_large', 'rate_limit_exceeded'],
});

/** State of an import. */
export const FindAdapterImport = defineRpc({
  subject: 'tun.{env}.v1.rpc.find-adapter-import',
  ...tuningRead,
  request: z.object({ account: AccountId, upload: UploadId }),
  reply: z.object({ import: AdapterImportView }),
  errors: ['upload_not_found'],
});

/** Imports of an account in the last week, newest first; at most 50. */
export const ListAdapterImports = defineRpc({
  subject: 'tun.{env}.v1.rpc.list-adapter-imports',
  ...tuningRead,
  request: z.object({ account: AccountId }),
  reply: z.object({ imports: eachReadable(AdapterImportView, 50) }),
  errors: [],
});

const trainerCall = { owner: 'tuning', callers: ['trainer'], queue: 'tuning', timeoutMs: 10_000 } as const;
const target = { tw: Incarnation, account: AccountId, import: UploadId };

/** As `StoreBlob`, for one form of an adapter that is imported. */
export const StoreImportBlob = defineRpc({
  subject: 'tun.{env}.v1.rpc.store-import-blob',
  ...trainerCall,
  request: z.object({ ...target, bytes: z.int().positive(), sha256: Sha256 }),
  reply: z.object({
    /** Null = the blob is stored already. */
    url: z.url().max(4_096).nullable(),
    ticket: Ticket.nullable(),
  }),
  errors: ['upload_not_found', 'no_disk'],
});

/** What a training worker made of the file of an adapter: both forms, stored as blobs, or why there are none. Repeating it is harmless. */
export const ReportImport = defineRpc({
  subject: 'tun.{env}.v1.rpc.report-import',
  ...trainerCall,
  request: z.object({
    ...target,
    adapter: TrainedAdapter.omit({ step: true }).optional(),
    failed: z.object({ reason: ImportReason, detail: z.string().max(1_000) }).optional(),
  }),
  reply: z.object({ adapter: AdapterId.nullable() }),
  errors: ['upload_not_found'],
});
