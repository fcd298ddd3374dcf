import { z } from 'zod';

const Digest = z.string().regex(/^[0-9a-f]{64}$/);

/** Agent to download process. */
export const DownloadOrder = z.object({
  uri: z.string(),
  /** Where another service serves the file for a ticket, over http too; null = `uri` is the address. */
  address: z.string().nullable(),
  /** SHA-256 that the file must have; null = the server's, if it sends one. */
  sha256: Digest.nullable(),
  folder: z.string(),
  hosts: z.array(z.string()),
  /** Bytes that the model may take; null = limited by the disk alone. */
  room: z.number().nullable(),
  /** Time without a byte after which the download is given up, in milliseconds. */
  stallMs: z.number().positive(),
});
export type DownloadOrder = z.infer<typeof DownloadOrder>;

/** A complete download. */
export const DownloadedModel = z.object({
  /** Path of the model file in the folder; of a split model, the first part. */
  file: z.string().min(1),
  sha256: Digest,
  bytes: z.number().nonnegative(),
  /** Whether every file had an expected checksum. */
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
    /**
     * `partial`: keep the bytes for the next attempt. `nothing`: delete them. `wrong`: not the expected file; a new attempt
     * would bring the same.
     */
    left: z.enum(['partial', 'nothing', 'wrong']),
    /** Bytes missing on the disk or below the operator's bound; 0 = space was not the reason. */
    missing: z.number().nonnegative(),
  }),
]);
export type DownloadMessage = z.infer<typeof DownloadMessage>;
