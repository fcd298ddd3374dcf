import { z } from 'zod';
import { Witness } from './adapters.js';
import { Sha256 } from './tuning-ids.js';

/** A result: the adapter in both forms, already stored as blobs. */
export const TrainedAdapter = z.object({
  step: z.int().nonnegative(),
  gguf: z.object({ sha256: Sha256, bytes: z.int().positive() }),
  peft: z.object({ sha256: Sha256, bytes: z.int().positive() }),
  rank: z.int().positive(),
  alpha: z.number().positive(),
  modules: z.array(z.string().max(64)).max(64),
  base_sha256: Sha256,
  template_sha256: Sha256,
  tokenizer_sha256: Sha256,
  witness: Witness,
});
export type TrainedAdapter = z.infer<typeof TrainedAdapter>;
