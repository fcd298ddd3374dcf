import type { FinishReason } from '@slipway/contracts';
import { z } from 'zod';
import { BrokenStreamError } from './sse-reader.js';

const count = z.number().nonnegative().transform(Math.floor).nullish().catch(null);

const UpstreamUsage = z.object({
  prompt_tokens: count,
  completion_tokens: count,
  prompt_tokens_details: z.object({ cached_tokens: count }).nullish().catch(null),
  completion_tokens_details: z.object({ reasoning_tokens: count }).nullish().catch(null),
});
export type UpstreamUsage = z.infer<typeof UpstreamUsage>;

const Choice = z.object({
  index: z.number().nullish(),
  delta: z
    .object({
      content: z.string().nullish(),
      refusal: z.string().nullish().catch(null),
      /** SGLang, llama-server and others; vLLM and Ollama say `reasoning`. */
      reasoning_content: z.string().nullish().catch(null),
      reasoning: z.string().nullish().catch(null),
    })
    .nullish(),
  finish_reason: z.string().nullish(),
  /** vLLM: the stop string or token that was met. */
  stop_reason: z.union([z.string(), z.number()]).nullish().catch(null),
  /** SGLang's name for it. */
  matched_stop: z.union([z.string(), z.number()]).nullish().catch(null),
});

/** A chunk as servers of this contract send it, with whatever they add left out. */
const Chunk = z.object({
  choices: z.array(Choice).nullish(),
  usage: UpstreamUsage.nullish().catch(null),
  error: z.unknown().optional(),
});

/** What one chunk says about the first choice. */
export interface UpstreamChunk {
  readonly text: string;
  readonly think: string;
  readonly finish: FinishReason | 'failed' | null;
  /** Stop string that ended the answer, where the server tells. */
  readonly stop: string | null;
  readonly usage: UpstreamUsage | null;
  /** The server gave up in mid-stream. */
  readonly error: boolean;
}

const FINISH: ReadonlyMap<string, FinishReason | 'failed'> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['content_filter', 'content_filter'],
  ['abort', 'failed'],
  ['aborted', 'failed'],
  ['cancelled', 'failed'],
  ['error', 'failed'],
]);

type UpstreamChoice = z.infer<typeof Choice>;

/** Text and reasoning of a choice, whatever the server calls them. */
function deltaOf({ delta }: UpstreamChoice): { text: string; think: string } {
  if (!delta) return { text: '', think: '' };
  return { text: delta.content || delta.refusal || '', think: delta.reasoning_content || delta.reasoning || '' };
}

function finishOf(choice: UpstreamChoice): Pick<UpstreamChunk, 'finish' | 'stop'> {
  const { finish_reason: reason } = choice;
  const stop = choice.stop_reason ?? choice.matched_stop;
  return { finish: reason == null ? null : (FINISH.get(reason) ?? 'stop'), stop: typeof stop === 'string' ? stop : null };
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new BrokenStreamError('an event is not JSON');
  }
}

interface TextChunk {
  readonly choices: readonly [UpstreamChoice];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> => typeof value === 'object' && value !== null;
const isTextOrNothing = (value: unknown): boolean => value == null || typeof value === 'string';

/** True for a choice that has at most text to say. */
function isTextChoice(choice: unknown): choice is UpstreamChoice {
  if (!isObject(choice) || choice['index'] !== 0 || choice['finish_reason'] != null) return false;
  const { delta, stop_reason: stop, matched_stop: matched } = choice;
  if (!isObject(delta) || stop != null || matched != null) return false;
  const { content, refusal, reasoning_content: thought, reasoning } = delta;
  return isTextOrNothing(content) && isTextOrNothing(refusal) && isTextOrNothing(thought) && isTextOrNothing(reasoning);
}

/**
 * True for what nearly all chunks are: one choice with a piece of text. Checked by hand, because the schema's walk costs
 * several times what the rest of a token's way does.
 */
function isTextChunk(value: unknown): value is TextChunk {
  if (!isObject(value) || value['usage'] != null || value['error'] != null) return false;
  const { choices } = value;
  return Array.isArray(choices) && choices.length === 1 && isTextChoice(choices[0]);
}

/**
 * Reads the data of one event.
 * @throws BrokenStreamError when it is not JSON, or not a chunk.
 */
export function readChunk(data: string): UpstreamChunk {
  const value = parseJson(data);
  if (isTextChunk(value)) {
    const { text, think } = deltaOf(value.choices[0]);
    return { text, think, finish: null, stop: null, usage: null, error: false };
  }
  const parsed = Chunk.safeParse(value);
  if (!parsed.success) throw new BrokenStreamError('an event is not a completion chunk');
  const { choices, usage, error } = parsed.data;
  const choice = choices?.find(({ index }) => (index ?? 0) === 0) ?? {};
  return { ...deltaOf(choice), ...finishOf(choice), usage: usage ?? null, error: error !== undefined && error !== null };
}
