import { type FinishReason, isRecord, type TokenLogprob, TOKENS_MAX } from '@slipway/contracts';
import { z } from 'zod';
import { BrokenStreamError } from './sse-reader.js';

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
function readUsage(value: unknown): UpstreamUsage | null {
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
function readTimings(value: unknown): UpstreamUsage | null {
  if (!isFields(value)) return null;
  const read = count(value['prompt_n']);
  const cached = count(value['cache_n']);
  if (read === null || cached === null) return null;
  return { prompt: read + cached, completion: count(value['predicted_n']), cached, reasoning: null };
}

/** The lowest that is reported: JSON has no minus infinity. */
const FLOOR = -9_999;

/** Null stands for minus infinity where a server's JSON cannot say it. */
const probability = z.number().nullish().catch(null);
const bytes = z.array(z.int().min(0).max(255)).nullish().catch(null);

const Alternative = z.object({ token: z.string(), logprob: probability, bytes });
const Token = Alternative.extend({ top_logprobs: z.array(Alternative).nullish().catch(null) });
const Logprobs = z.object({ content: z.array(Token).nullish() });

export type UpstreamLogprobs = readonly TokenLogprob[] | null;

const finite = (value: number | null | undefined): number => (value == null ? FLOOR : Math.max(FLOOR, value));

function tokenOf({ token, logprob, bytes: raw }: z.infer<typeof Alternative>): Pick<TokenLogprob, 't' | 'p' | 'b'> {
  // Bytes are worth their way only where the text is not theirs: half characters, mostly.
  const differs = raw != null && !Buffer.from(token, 'utf8').equals(Uint8Array.from(raw));
  return { t: token, p: finite(logprob), ...(differs && { b: raw }) };
}

/** Probabilities in a choice of a chunk; null where there are none, or none that can be read. */
export function readLogprobs(value: unknown): UpstreamLogprobs {
  const content = value == null ? undefined : Logprobs.safeParse(value).data?.content;
  if (!content || content.length === 0) return null;
  return content.map(({ top_logprobs: top, ...token }) => {
    const read = tokenOf(token);
    return top == null || top.length === 0 ? read : { top: top.map(tokenOf), ...read };
  });
}

const text = z.string().nullish().catch(null);

/** A piece of a call: servers send it whole in one chunk, or in any number. */
const CallDelta = z.object({
  index: z.number().int().nonnegative().nullish().catch(null),
  id: text,
  function: z.object({ name: text, arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish() }).nullish(),
});

const Choice = z.object({
  index: z.number().nullish(),
  delta: z
    .object({
      content: z.string().nullish(),
      refusal: text,
      /** SGLang, llama-server and others; vLLM and Ollama say `reasoning`. */
      reasoning_content: text,
      reasoning: text,
      tool_calls: z.array(CallDelta).nullish(),
    })
    .nullish(),
  logprobs: z.unknown().optional(),
  finish_reason: z.string().nullish(),
  /** vLLM: the stop string or token that was met. */
  stop_reason: z.union([z.string(), z.number()]).nullish().catch(null),
  /** SGLang's name for it. */
  matched_stop: z.union([z.string(), z.number()]).nullish().catch(null),
});

/** A chunk as servers of this contract send it, with whatever they add left out. */
const Chunk = z.object({
  model: z.unknown().optional(),
  choices: z.array(Choice).nullish(),
  usage: z.unknown().optional(),
  timings: z.unknown().optional(),
  error: z.unknown().optional(),
});

/** A piece of a tool call. */
export interface CallPiece {
  /** Number of the call; null where the server gives none. */
  readonly index: number | null;
  readonly id: string;
  readonly name: string;
  readonly args: string;
}

/** What one chunk says about one choice. */
export interface ChoiceDelta {
  readonly index: number;
  readonly text: string;
  readonly think: string;
  readonly calls: readonly CallPiece[];
  readonly logprobs: UpstreamLogprobs;
  readonly finish: FinishReason | 'failed' | null;
  /** Stop string that ended the choice, where the server reports it. */
  readonly stop: string | null;
}

export interface UpstreamChunk {
  /** The model that the server says it answers with. */
  readonly model: string | null;
  readonly choices: readonly ChoiceDelta[];
  readonly usage: UpstreamUsage | null;
  /** The server gave up in mid-stream; what it says about that. */
  readonly error: unknown;
}

const FINISH: ReadonlyMap<string, FinishReason | 'failed'> = new Map([
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['abort', 'failed'],
  ['aborted', 'failed'],
  ['cancelled', 'failed'],
  ['error', 'failed'],
]);

type UpstreamChoice = z.infer<typeof Choice>;
type UpstreamCall = z.infer<typeof CallDelta>;

const NO_CALLS: readonly CallPiece[] = [];

const callOf = ({ index, id, function: called }: UpstreamCall): CallPiece => {
  const args = called?.arguments ?? '';
  return { index: index ?? null, id: id ?? '', name: called?.name ?? '', args: typeof args === 'string' ? args : JSON.stringify(args) };
};

/** Whether a choice goes on. Older versions of Ollama and SGLang say so with '' in every chunk. */
const goesOn = (reason: unknown): boolean => reason == null || reason === '';

function finishOf(choice: UpstreamChoice): Pick<ChoiceDelta, 'finish' | 'stop'> {
  const { finish_reason: reason } = choice;
  const stop = choice.stop_reason ?? choice.matched_stop;
  return { finish: goesOn(reason) ? null : (FINISH.get(reason ?? '') ?? 'stop'), stop: typeof stop === 'string' ? stop : null };
}

type UpstreamDelta = NonNullable<UpstreamChoice['delta']>;

/** Text and reasoning of a choice, whatever the server calls them. */
const textOf = (delta: Partial<UpstreamDelta>): string => delta.content || delta.refusal || '';
const thoughtOf = (delta: Partial<UpstreamDelta>): string => delta.reasoning_content || delta.reasoning || '';

function choiceOf(choice: UpstreamChoice, logprobs: UpstreamLogprobs): ChoiceDelta {
  const { delta, index } = choice;
  const calls = delta?.tool_calls?.map(callOf) ?? NO_CALLS;
  return { index: index ?? 0, text: textOf(delta ?? {}), think: thoughtOf(delta ?? {}), calls, logprobs, ...finishOf(choice) };
}

function parseJson(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    throw new BrokenStreamError('an event is not JSON');
  }
}

const nameOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

interface TextChoice {
  readonly index: number;
  readonly delta: Readonly<Partial<UpstreamDelta>>;
}

interface TextChunk {
  readonly model?: unknown;
  readonly choices: readonly [TextChoice];
  readonly usage?: unknown;
  readonly timings?: unknown;
}

const isTextOrNothing = (value: unknown): boolean => value == null || typeof value === 'string';
const isNothing = (value: unknown): boolean => value == null || (Array.isArray(value) && value.length === 0);

/** True for a choice with nothing but text. */
function isTextChoice(choice: unknown): choice is TextChoice {
  if (!isRecord(choice) || typeof choice['index'] !== 'number' || !goesOn(choice['finish_reason'])) return false;
  const { delta, stop_reason: stop, matched_stop: matched, logprobs } = choice;
  if (!isRecord(delta) || stop != null || matched != null || logprobs != null) return false;
  const { content, refusal, reasoning_content: thought, reasoning, tool_calls: calls } = delta;
  return isTextOrNothing(content) && isTextOrNothing(refusal) && isTextOrNothing(thought) && isTextOrNothing(reasoning) && isNothing(calls);
}

/**
 * True for one choice with a piece of text, as nearly all chunks are. Checked by hand, because the schema takes several times as long
 * as all other work on a token.
 */
function isTextChunk(value: unknown): value is TextChunk {
  if (!isRecord(value) || value['error'] != null) return false;
  const { choices } = value;
  return Array.isArray(choices) && choices.length === 1 && isTextChoice(choices[0]);
}

function textChunk({ model, choices, usage, timings }: TextChunk): UpstreamChunk {
  const { index, delta } = choices[0];
  const choice: ChoiceDelta = {
    index,
    text: textOf(delta),
    think: thoughtOf(delta),
    calls: NO_CALLS,
    logprobs: null,
    finish: null,
    stop: null,
  };
  return { model: nameOf(model), choices: [choice], usage: figuresOf(usage, timings), error: null };
}

/** Nearly no chunk has any. */
const figuresOf = (usage: unknown, timings: unknown): UpstreamUsage | null =>
  usage == null && timings == null ? null : (readUsage(usage) ?? readTimings(timings));

/**
 * Reads the data of one event.
 * @throws BrokenStreamError when it is not JSON, or not a chunk.
 */
export function readChunk(data: string): UpstreamChunk {
  const value = parseJson(data);
  if (isTextChunk(value)) return textChunk(value);
  const parsed = Chunk.safeParse(value);
  if (!parsed.success) throw new BrokenStreamError('an event is not a completion chunk');
  const { model, choices, usage, timings, error } = parsed.data;
  return {
    model: nameOf(model),
    choices: choices?.map((choice) => choiceOf(choice, readLogprobs(choice.logprobs))) ?? [],
    usage: figuresOf(usage, timings),
    error: error ?? null,
  };
}
