import { ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';

type Finish = Extract<StreamEvent, { k: 'fin' }>;

/** Why an answer ended, as the contract says it. */
export interface StopReason {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
}

export interface Ending {
  readonly finish: Finish | null;
  readonly usage: Usage;
  /** As the client asked. */
  readonly maxTokens: number;
  /** The client was shown a call. */
  readonly hasCalls: boolean;
}

const because = (reason: string): StopReason => ({ stop_reason: reason, stop_sequence: null });

/** @throws ServiceError for an answer that just stops: that is a failure, however cleanly its engine hung up. */
export function stopReasonOf({ finish, usage, maxTokens, hasCalls }: Ending): StopReason {
  if (finish === null) throw new ServiceError('engine_error', 'The model stopped without saying why.');
  if (maxTokens === 0) return because('max_tokens');
  switch (finish.r) {
    case 'stop':
    case 'tool_calls':
      return because(hasCalls ? 'tool_use' : 'end_turn');
    case 'stop_sequence':
      return { stop_reason: 'stop_sequence', stop_sequence: finish.stop ?? null };
    case 'length':
      return because(endedByContext(usage, maxTokens) ? 'model_context_window_exceeded' : 'max_tokens');
    case 'content_filter':
      return because('refusal');
  }
}

/** Fewer tokens than were allowed, and no room for another one. */
const endedByContext = ({ completion, estimated }: Usage, maxTokens: number): boolean => estimated !== true && completion < maxTokens;
