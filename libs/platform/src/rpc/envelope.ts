import { z } from 'zod';

/** Wire format of an RPC reply. Errors contain public text only. */
export const Envelope = z.union([
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.object({ code: z.string(), message: z.string(), param: z.string().optional(), retry_after_s: z.number().optional() }),
  }),
]);
export type Envelope = z.infer<typeof Envelope>;
