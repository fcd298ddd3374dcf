import type { FinishReason } from '@slipway/contracts';

/** Why a choice ended, as the contract says it. */
export const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  content_filter: 'content_filter',
};
