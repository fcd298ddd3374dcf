import { z } from 'zod';
import { enumOr } from '../schemas.js';

/** What the owner wants. */
export const DesiredState = z.enum(['ready', 'stopped']);
/** A desired state as readers accept it: an unknown word means `ready`. */
export const ReadDesiredState = enumOr(DesiredState, 'ready');
export type DesiredState = z.infer<typeof DesiredState>;

/**
 * What deployments-service observes. `sleeping` is reserved for scale to zero.
 *
 * | state | meaning | reasons | a request gets | leaves it when |
 * | --- | --- | --- | --- | --- |
 * | `pending` | wanted, and no worker can take it | `no_worker`, `no_capacity`, or none before the first check | 503, retry-after | a worker connects or room appears |
 * | `loading` | a worker fetches or loads it | none, or the reason of the failed try before | 503, retry-after | it is loaded, or fails |
 * | `ready` | every wanted replica answers; a newer revision may be loading beside | none | 200 | a replica is lost, or the owner acts |
 * | `degraded` | it answers with fewer replicas than wanted, or the newest revision is not ready | why the rest is missing | 200 | the missing part is ready |
 * | `failed` | the last try failed; the next follows after 2 s, 4 s and so on, at most 5 minutes (an unreachable engine: 30 s; a damaged file: when it was replaced), or at once on resume | any of the failures below | 503, retry-after | the next try, or an update |
 * | `stopping` | no new requests; running ones have their grace period | none | 409 | no worker holds any of it |
 * | `stopped` | nothing runs | none | 409 | resume |
 * | `deleting` | reserved: deletion is one transaction | none | 404 | |
 */
export const ObservedState = z.enum(['pending', 'loading', 'ready', 'degraded', 'stopping', 'stopped', 'failed', 'deleting']);
/** A state as readers accept it: an unknown word means `pending`, so requests get 503 with retry-after. */
export const ReadObservedState = enumOr(ObservedState, 'pending');
export type ObservedState = z.infer<typeof ObservedState>;

/**
 * Stable word for why a deployment is in its state.
 *
 * | reason | what happened | tried again elsewhere at once | who can repair it |
 * | --- | --- | --- | --- |
 * | `no_worker` | no connected worker runs this kind of engine | | operator |
 * | `no_capacity` | no worker has the memory, or there are more replicas than workers | | operator, or owner with less context or slots |
 * | `model_missing` | the file is not in that worker's model folders | yes | operator |
 * | `model_invalid` | the file is damaged, or no model that llama.cpp reads | no, until the file changes | owner, by an update |
 * | `download_failed` | the host refused, is not allowed, broke off, or the cache is full | yes | owner or operator |
 * | `out_of_memory` | it did not fit when it was loaded | yes | operator, or owner |
 * | `engine_unreachable` | nothing answers at the engine's address | no | operator of the engine |
 * | `engine_refused` | the engine refuses the credential or the model | no | owner, by an update |
 * | `adapter_missing` | the adapter was deleted, or cannot be fetched | yes | operator, or owner by an update |
 * | `adapter_mismatch` | the adapter's file is another one, or belongs to another base | yes | owner or operator |
 * | `witness_failed` | the replica does not answer as the adapter did when it was made | yes | operator, or owner |
 * | `engine_crashed` | the process ended or hung, more than once in a row | yes | operator |
 */
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
  'adapter_missing',
  'adapter_mismatch',
  'witness_failed',
]);
/** A reason as readers accept it: null for an unknown word. */
export const ReadStateReason = enumOr(StateReason, null);
export type StateReason = z.infer<typeof StateReason>;
