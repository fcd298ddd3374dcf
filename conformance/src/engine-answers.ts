import { chatChunk, jsonAnswer, sseEvent, type UpstreamScript, type UpstreamStep, usageChunk } from '@slipway/testing';

export const PROMPT_TOKENS = 12;
export const CONTEXT = 4_096;
/** What the engine says unless a case has it say something else, in as many tokens. */
const WORDS: readonly string[] = ['The ', 'weather ', 'is ', 'fine.'];

type Json = Readonly<Record<string, unknown>>;

/** A chat request as the engine gets it, as far as it reads it. */
export interface EngineRequest {
  readonly model?: string;
  readonly messages?: readonly Json[];
  readonly n?: number;
  readonly stop?: string | readonly string[];
  readonly max_tokens?: number;
  readonly max_completion_tokens?: number;
  readonly logprobs?: boolean;
  readonly tools?: readonly { readonly function: { readonly name: string; readonly parameters?: Json } }[];
  readonly tool_choice?: string | { readonly function: { readonly name: string } };
  readonly response_format?: { readonly type: string; readonly json_schema?: { readonly schema?: Json } };
  readonly [field: string]: unknown;
}

/** A small value that a schema takes. */
function exampleOf(schema: Json = {}): unknown {
  if (Array.isArray(schema['enum'])) return schema['enum'][0];
  if (schema['type'] === 'string') return 'Paris';
  if (schema['type'] === 'integer' || schema['type'] === 'number') return 1;
  if (schema['type'] === 'boolean') return true;
  if (schema['type'] === 'array') return [];
  const required = (schema['required'] ?? []) as readonly string[];
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Json>>;
  return Object.fromEntries(required.map((name) => [name, exampleOf(properties[name])]));
}

const FIRST = chatChunk({ role: 'assistant', content: '' });
const DONE = sseEvent('[DONE]');
export const piece = (content: string): UpstreamStep => chatChunk({ content });
export const thought = (reasoning: string): UpstreamStep => chatChunk({ reasoning });
export const finish = (reason: string): UpstreamStep => chatChunk({}, reason);

export interface PlayedCall {
  readonly index?: number;
  readonly id?: string;
  readonly name: string;
  /** The pieces in which the arguments come. */
  readonly pieces: readonly string[];
}

/** A tool call, opened in one chunk and continued in the next ones. */
export function call({ index = 0, id = `call_${index}`, name, pieces }: PlayedCall): UpstreamStep[] {
  const open = chatChunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] });
  return [open, ...pieces.map((text) => callPiece(index, text))];
}

export const callPiece = (index: number, text: string): UpstreamStep =>
  chatChunk({ tool_calls: [{ index, function: { arguments: text } }] });

/** A role, these steps, a usage and `[DONE]`. */
export const whole = (...steps: readonly UpstreamStep[]): UpstreamScript => ({
  steps: [FIRST, ...steps, usageChunk(PROMPT_TOKENS, steps.length), DONE],
});

/** A whole answer of these pieces. */
export const says = (...pieces: readonly string[]): UpstreamScript => whole(...pieces.map(piece), finish('stop'));

/** A role and these steps: a stream that ends without a finish. */
export const breaksOff = (...steps: readonly UpstreamStep[]): UpstreamScript => ({ steps: [FIRST, ...steps] });

/** Three pieces of text, then a broken connection. */
export const dies: UpstreamScript = breaksOff(piece('one '), piece('two '), piece('three '), { pauseMs: 50 }, { cut: true });
/** A broken connection before the first byte. */
export const diesAtOnce: UpstreamScript = { deaf: true, steps: [] };
/** One piece of text, then silence until the client leaves. */
export const hangs: UpstreamScript = breaksOff(piece('one '), { hang: true });

/** A refusal in the form of vLLM. */
export const refuses = (status: number, message: string, param: string | null = null): UpstreamScript =>
  jsonAnswer(status, { error: { message, type: 'BadRequestError', param, code: status } });

export const OVERFLOW: UpstreamScript = refuses(
  400,
  `This model's maximum context length is ${CONTEXT} tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.`,
);

/** The answer with the usage so far on each chunk, where the request asks for it. */
export function counted(script: UpstreamScript, request: EngineRequest): UpstreamScript {
  const options = request['stream_options'] as { continuous_usage_stats?: boolean } | undefined;
  if (options?.continuous_usage_stats !== true) return script;
  const steps = script.steps.map((step, i) => {
    if (!('write' in step) || typeof step.write !== 'string' || !step.write.startsWith('data: {')) return step;
    const usage = { prompt_tokens: PROMPT_TOKENS, completion_tokens: i, total_tokens: PROMPT_TOKENS + i };
    return sseEvent({ usage, ...(JSON.parse(step.write.slice('data: '.length)) as Json) });
  });
  return { ...script, steps };
}

/** What a model that does as it is told answers. */
export function obedientAnswer(request: EngineRequest): UpstreamScript {
  const tools = request.tools ?? [];
  const choice = request.tool_choice;
  const named = typeof choice === 'object' ? choice.function.name : tools[0]?.function.name;
  if (choice === 'required' || typeof choice === 'object') {
    const parameters = tools.find((tool) => tool.function.name === named)?.function.parameters;
    return whole(...call({ name: named ?? 'none', pieces: [JSON.stringify(exampleOf(parameters))] }), finish('tool_calls'));
  }
  return textAnswer(request);
}

function wordsFor({ response_format: format }: EngineRequest): readonly string[] {
  if (format?.type === 'json_object') return ['{"a":', '1}'];
  if (format?.type !== 'json_schema') return WORDS;
  const text = JSON.stringify(exampleOf(format.json_schema?.schema));
  return [text.slice(0, 2), text.slice(2)];
}

/** The text as far as limit and stop allow. */
function textAnswer(request: EngineRequest): UpstreamScript {
  const all = wordsFor(request);
  const limit = request.max_completion_tokens ?? request.max_tokens ?? all.length;
  const { words, stop } = stopped(all.slice(0, limit), [request.stop ?? []].flat());
  const reason = stop === null && limit < all.length ? 'length' : 'stop';
  const choices = Array.from({ length: request.n ?? 1 }, (_, index) => index);
  const chunk = (index: number, delta: Json, more: Json = {}): UpstreamStep =>
    sseEvent({
      ...{ id: 'chatcmpl-c', object: 'chat.completion.chunk', created: 1_760_000_000, model: request.model },
      choices: [{ index, delta, logprobs: null, finish_reason: null, ...more }],
    });
  const ending = { finish_reason: reason, ...(stop !== null && { stop_reason: stop }) };
  return {
    steps: [
      ...choices.map((index) => chunk(index, { role: 'assistant', content: '' })),
      ...words.flatMap((word) =>
        choices.map((index) => chunk(index, { content: word }, request.logprobs === true ? logprobsOf(word) : {})),
      ),
      ...choices.map((index) => chunk(index, {}, ending)),
      usageChunk(PROMPT_TOKENS, words.length * choices.length),
      DONE,
    ],
  };
}

function stopped(words: readonly string[], stops: readonly string[]): { words: readonly string[]; stop: string | null } {
  const text = words.join('');
  const [stop] = stops.filter((candidate) => text.includes(candidate)).toSorted((a, b) => text.indexOf(a) - text.indexOf(b));
  if (stop === undefined) return { words, stop: null };
  const end = text.indexOf(stop);
  let at = 0;
  const kept = words.map((word) => {
    const part = word.slice(0, Math.max(0, end - at));
    at += word.length;
    return part;
  });
  return { words: kept.filter((word) => word !== ''), stop };
}

function logprobsOf(token: string): Json {
  const entry = { token, logprob: -0.25, bytes: [...Buffer.from(token)] };
  return { logprobs: { content: [{ ...entry, top_logprobs: [entry] }] } };
}
