import type { Usage } from '@slipway/contracts';

/** Input tokens are those that no cache had; clients add the three up. */
export function usageObject({ prompt, cached, completion, reasoning }: Usage): string {
  const read = Math.min(cached, prompt);
  const details = reasoning === undefined ? '' : `,"output_tokens_details":{"thinking_tokens":${reasoning}}`;
  return `{"input_tokens":${prompt - read},"output_tokens":${completion},"cache_creation_input_tokens":0,"cache_read_input_tokens":${read}${details}}`;
}
