import type { Usage } from '@slipway/contracts';

/** Token counts as the contract writes them; those of several choices are summed, their prompt counts once. */
export function usageObject({ prompt, cached, completion, reasoning }: Usage): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning ?? 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
