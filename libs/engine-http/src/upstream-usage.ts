import { TOKENS_MAX } from '@slipway/contracts';

/** Token counts as far as a server reported them. */
export interface UpstreamUsage {
  readonly prompt: number | null;
  readonly completion: number | null;
  readonly cached: number | null;
  readonly reasoning: number | null;
}

type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const count = (value: unknown): number | null =>
  typeof value === 'number' && value >= 0 && value <= TOKENS_MAX ? Math.floor(value) : null;
const countIn = (value: unknown, field: string): number | null => (isFields(value) ? count(value[field]) : null);

/** Read by hand: some servers repeat it with every token. Unreadable parts count as not reported. */
export function readUsage(value: unknown): UpstreamUsage | null {
  if (!isFields(value)) return null;
  return {
    prompt: count(value['prompt_tokens']),
    completion: count(value['completion_tokens']),
    cached: countIn(value['prompt_tokens_details'], 'cached_tokens'),
    // SGLang reports it beside the other counts.
    reasoning: countIn(value['completion_tokens_details'], 'reasoning_tokens') ?? count(value['reasoning_tokens']),
  };
}

/** llama-server's figures with each token, which it gives where `timings_per_token` asks for them. */
export function readTimings(value: unknown): UpstreamUsage | null {
  if (!isFields(value)) return null;
  const read = count(value['prompt_n']);
  const cached = count(value['cache_n']);
  if (read === null || cached === null) return null;
  return { prompt: read + cached, completion: count(value['predicted_n']), cached, reasoning: null };
}
