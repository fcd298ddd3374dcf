import { z } from 'zod';

/** Settings of a training; absent = chosen by the trainer's defaults and the data. */
export const TrainingSettings = z.strictObject({
  rank: z.int().min(1).max(256).optional(),
  alpha: z.int().min(1).max(1_024).optional(),
  learning_rate: z.number().positive().max(1).optional(),
  epochs: z.int().min(1).max(100).optional(),
  schedule: z.enum(['cosine', 'linear', 'constant']).optional(),
  /** Examples of one step; the embedded trainer takes 1. */
  batch: z.int().min(1).max(1_024).optional(),
  /** Of preferences: how much the distance from the base counts. The lower it is, the further the adapter may go. */
  beta: z.number().positive().max(10).optional(),
  /** Order of the examples. */
  seed: z.int().nonnegative().max(2_147_483_647).optional(),
  /** Part of the examples that are held out for measuring; 0 = none. */
  held_out: z.number().min(0).max(0.5).optional(),
  /** What happens to examples longer than the base's context. */
  too_long: z.enum(['leave_out', 'cut', 'refuse']).optional(),
  early_stop: z.boolean().optional(),
});
export type TrainingSettings = z.infer<typeof TrainingSettings>;
