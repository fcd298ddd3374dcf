import { z } from 'zod';

/** What the owner wants. */
export const DesiredState = z.enum(['ready', 'stopped']);
export type DesiredState = z.infer<typeof DesiredState>;

/** What is. `sleeping` is reserved for scale to zero. */
export const ObservedState = z.enum(['pending', 'loading', 'ready', 'degraded', 'stopping', 'stopped', 'failed', 'deleting']);
export type ObservedState = z.infer<typeof ObservedState>;

/** Why a deployment is in its state, as a stable word. */
export const StateReason = z.enum([
  'no_worker',
  'no_capacity',
  'model_missing',
  'model_invalid',
  'engine_unreachable',
  'engine_refused',
  'engine_crashed',
  'out_of_memory',
  'download_failed',
]);
export type StateReason = z.infer<typeof StateReason>;
