import { z } from 'zod';

/** Agent to download process. */
export const DownloadOrder = z.object({ uri: z.string(), folder: z.string(), hosts: z.array(z.string()) });
export type DownloadOrder = z.infer<typeof DownloadOrder>;

/** Download process to agent. */
export const DownloadMessage = z.discriminatedUnion('k', [
  z.object({ k: z.literal('progress'), progress: z.number().min(0).max(1) }),
  /** Name of the model's file, the first one where it is split. */
  z.object({ k: z.literal('done'), file: z.string().min(1) }),
  z.object({ k: z.literal('failed'), detail: z.string() }),
]);
export type DownloadMessage = z.infer<typeof DownloadMessage>;
