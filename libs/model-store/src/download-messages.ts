import { z } from 'zod';

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** Agent to download process. */
export const DownloadOrder = z.object({
  uri: z.string(),
  /** SHA-256 that the file must have; null = whatever its server says, if it does. */
  sha256: Digest.nullable(),
  folder: z.string(),
  hosts: z.array(z.string()),
  /** Bytes that the model may take; null = what the disk has. */
  room: z.number().nullable(),
  /** Time without a byte after which the download is given up, in milliseconds. */
  stallMs: z.number().positive(),
});
export type DownloadOrder = z.infer<typeof DownloadOrder>;

/** What has arrived. */
export const DownloadedModel = z.object({
  /** The model's file below the folder, the first one where it is split. */
  file: z.string().min(1),
  sha256: Digest,
  bytes: z.number().nonnegative(),
  /** Whether somebody had said beforehand which checksum all of it must have. */
  verified: z.boolean(),
});
export type DownloadedModel = z.infer<typeof DownloadedModel>;

/** Download process to agent. */
export const DownloadMessage = z.discriminatedUnion('k', [
  z.object({ k: z.literal('progress'), progress: z.number().min(0).max(1) }),
  z.object({ k: z.literal('done'), model: DownloadedModel }),
  z.object({
    k: z.literal('failed'),
    detail: z.string(),
    /** Whether what has arrived is worth keeping, or even wrong, so that another attempt would bring the same. */
    left: z.enum(['partial', 'nothing', 'wrong']),
    /** Bytes that are missing on the disk or below the operator's bound; 0 = room was not the trouble. */
    missing: z.number().nonnegative(),
  }),
]);
export type DownloadMessage = z.infer<typeof DownloadMessage>;
