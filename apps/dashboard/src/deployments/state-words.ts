import type { ObservedState, StateReason } from '@slipway/contracts';
import type { StatusLook } from '../ui/status.js';

export interface StateWords {
  readonly text: string;
  readonly look: StatusLook;
  /** What it means for who calls the deployment. */
  readonly meaning: string;
}

export const STATES: Readonly<Record<ObservedState, StateWords>> = {
  pending: { text: 'Pending', look: 'warn', meaning: 'Waiting for a worker. Requests get 503; clients may retry.' },
  loading: { text: 'Loading', look: 'busy', meaning: 'Loading on a worker. Requests get 503; clients may retry.' },
  ready: { text: 'Ready', look: 'good', meaning: 'Serving requests.' },
  degraded: { text: 'Degraded', look: 'warn', meaning: 'Serving, but not all replicas are ready.' },
  stopping: { text: 'Stopping', look: 'busy', meaning: 'New requests get 409. Running ones may finish.' },
  stopped: { text: 'Stopped', look: 'plain', meaning: 'Requests get 409 until it is resumed.' },
  failed: {
    text: 'Failed',
    look: 'bad',
    meaning: 'Loading failed and is retried automatically. Requests get 503.',
  },
  deleting: { text: 'Deleting', look: 'plain', meaning: 'Being deleted. Requests get 404.' },
};

/** The same file fails the same way: such a deployment waits for another one. */
const FAILED_FOR_GOOD = 'Loading failed. It is retried when its file or settings change. Requests get 503.';

/** What the state of a deployment means for who calls it. */
export const meaningOf = ({ state, reason }: { readonly state: ObservedState; readonly reason: StateReason | null }): string =>
  state === 'failed' && reason === 'model_invalid' ? FAILED_FOR_GOOD : STATES[state].meaning;

/** What callers get while a reason holds, beside its advice. */
export function consequenceOf({ state, reason }: { readonly state: ObservedState; readonly reason: StateReason | null }): string {
  if (state === 'degraded' || state === 'ready') return 'Requests are answered meanwhile.';
  if (reason === 'model_invalid') return 'It is retried when its file or settings change; requests get 503 until then.';
  return 'Requests get 503 until then.';
}

export interface ReasonWords {
  readonly text: string;
  /** The one thing to do about it. */
  readonly advice: string;
}

export const REASONS: Readonly<Record<StateReason, ReasonWords>> = {
  no_worker: { text: 'No connected worker runs this kind of engine.', advice: 'The operator needs to start a worker for it.' },
  no_capacity: {
    text: 'No worker has enough memory, or there are more replicas than workers.',
    advice: 'Lower the context, the slots or the replicas, stop another deployment, or ask the operator for another worker.',
  },
  model_missing: {
    text: 'The model file is not in the worker’s model folders.',
    advice: 'The operator needs to put the file there, or choose another model in Settings.',
  },
  model_invalid: { text: 'The file is damaged, or not a model that llama.cpp can read.', advice: 'Choose another model in Settings.' },
  engine_unreachable: {
    text: 'Nothing answers at the engine’s address.',
    advice: 'Start the engine or correct its address. It is retried every 30 seconds.',
  },
  engine_refused: {
    text: 'The engine refuses the credential or does not know the model.',
    advice: 'Correct the credential or the model’s name in Settings.',
  },
  engine_crashed: {
    text: 'The engine crashed or hung several times in a row.',
    advice: 'Check the log; the operator may need to look at the worker.',
  },
  out_of_memory: {
    text: 'The model was loaded but did not fit into memory.',
    advice: 'Lower the context or the slots in Settings.',
  },
  download_failed: {
    text: 'The download was refused, is not allowed, was interrupted, or the cache is full.',
    advice: 'Check the address; the log has the reason.',
  },
  adapter_missing: {
    text: 'The adapter was deleted, or cannot be fetched.',
    advice: 'Choose another adapter in Settings, or ask the operator whether the tuning service runs.',
  },
  adapter_mismatch: {
    text: 'The adapter’s file is another one, or belongs to another base.',
    advice: 'Ask the operator whether the base’s file was replaced on this worker; else train the adapter again.',
  },
  witness_failed: {
    text: 'This replica does not answer as the adapter did when it was made.',
    advice: 'The log has the distance. Check that the adapter and its base are the right ones.',
  },
};
