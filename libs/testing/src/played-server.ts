import { type UpstreamAnswer, type UpstreamScript, type UpstreamStep, jsonAnswer, modelList, sseEvent } from './scripted-upstream.js';

/** The servers whose recorded behaviour can be played. */
export type PlayedServer = 'vllm' | 'sglang' | 'llama-server' | 'ollama';

/** How a played server answers a chat request. */
export type PlayedBehaviour =
  /** `text` in pieces, then the end. */
  | 'text'
  /** `reasoning` under the server's own name for it, then `text`. */
  | 'reasoning'
  /** `calls` in the server's own chunks, after `text` where there is one. */
  | 'calls'
  /** Two choices, interleaved: `text` and the same in capitals. */
  | 'two choices'
  /** `text` with log probabilities. */
  | 'logprobs'
  /** `text` as far as `limit` tokens allowed. */
  | 'length'
  /** `calls`, whose arguments end in the middle though the server calls the answer complete. */
  | 'broken arguments'
  /** Half of `text`, then the server's error object. Ollama just ends. */
  | 'error in mid-stream'
  /** Half of `text`, then the stream ends without a finish_reason. */
  | 'no finish'
  /** Half of `text`, then the connection breaks. */
  | 'cut'
  /** Half of `text`, then finish_reason `abort`. */
  | 'abort'
  /** Half of `text`, then silence until the client leaves. */
  | 'silence'
  /** The server's refusal of a prompt that is too long. */
  | 'context overflow'
  /** The server's refusal while it has no capacity. */
  | 'overloaded'
  /** The server's refusal of a wrong credential. */
  | 'wrong credential'
  /** The server's refusal of bad input; llama-server says 500. */
  | 'bad input'
  /** The server fails before it answers. */
  | 'failure';

/** Content of the answer; every field has a default. */
export interface PlayedLines {
  /** The answer, a chunk for each piece. */
  readonly text?: readonly string[];
  readonly reasoning?: readonly string[];
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly arguments: string }[];
  /** Figures of the usage. Completion counts pieces where it is absent. */
  readonly prompt?: number;
  readonly cached?: number;
  readonly completion?: number;
  /** The stop string that ended the text, which only vLLM and SGLang report. */
  readonly stop?: string;
}

export const PROMPT_TOKENS = 12;
export const CONTEXT = 4_096;

const vllmError = (status: number, type: string, message: string, param: string | null = null): UpstreamScript =>
  jsonAnswer(status, { error: { message, type, param, code: status } });
const sglangError = (status: number, type: string, message: string): UpstreamScript =>
  jsonAnswer(status, { object: 'error', message, type, param: null, code: status });
const llamaError = (code: number, type: string, message: string, more: Readonly<Record<string, number>> = {}): UpstreamScript =>
  jsonAnswer(code, { error: { code, message, type, ...more } });
const ollamaError = (status: number, type: string, message: string): UpstreamScript =>
  jsonAnswer(status, { error: { message, type, param: null, code: null } });

type Refusal = 'context overflow' | 'overloaded' | 'wrong credential' | 'bad input' | 'failure';

const VLLM_OVERFLOW = `This model's maximum context length is ${CONTEXT} tokens. However, your request has 5000 input tokens. Please reduce the length of the input messages.`;
const SGLANG_OVERFLOW = `The input (5000 tokens) is longer than the model's context length (${CONTEXT} tokens).`;
const LLAMA_OVERFLOW = `request (5000 tokens) exceeds the available context size (${CONTEXT} tokens), try increasing it`;

/** Errors in the words of each server; private words in them show a test what leaked. */
const REFUSALS: Readonly<Record<PlayedServer, Readonly<Record<Refusal, UpstreamScript>>>> = {
  vllm: {
    'context overflow': vllmError(400, 'BadRequestError', VLLM_OVERFLOW),
    overloaded: vllmError(503, 'ServiceUnavailableError', 'secret queue is full'),
    'wrong credential': jsonAnswer(401, { error: 'Unauthorized secret' }),
    'bad input': vllmError(400, 'BadRequestError', 'secret temperature must be non-negative', 'temperature'),
    failure: vllmError(500, 'InternalServerError', 'EngineCore secret died'),
  },
  sglang: {
    'context overflow': sglangError(400, 'BadRequestError', SGLANG_OVERFLOW),
    overloaded: sglangError(503, 'ServiceUnavailableError', 'The secret request queue is full.'),
    'wrong credential': jsonAnswer(401, { error: 'Unauthorized secret' }),
    'bad input': sglangError(400, 'BadRequestError', 'secret is not valid'),
    failure: sglangError(500, 'InternalServerError', 'secret'),
  },
  'llama-server': {
    'context overflow': llamaError(400, 'exceed_context_size_error', LLAMA_OVERFLOW, { n_prompt_tokens: 5_000, n_ctx: CONTEXT }),
    overloaded: llamaError(503, 'unavailable_error', 'Loading model secret'),
    'wrong credential': llamaError(401, 'authentication_error', 'Invalid API Key secret'),
    'bad input': llamaError(500, 'server_error', 'image input is not supported - hint: secret mmproj'),
    failure: llamaError(500, 'server_error', 'secret'),
  },
  ollama: {
    'context overflow': ollamaError(400, 'invalid_request_error', 'the input length exceeds the context length'),
    overloaded: ollamaError(503, 'api_error', 'server busy, please try again. secret maximum pending requests exceeded'),
    'wrong credential': ollamaError(401, 'api_error', 'unauthorized secret'),
    'bad input': ollamaError(400, 'invalid_request_error', '"secret:1b" does not support tools'),
    failure: ollamaError(500, 'api_error', 'llama runner process has terminated: secret'),
  },
};

/** The recorded error of a server; undefined where the behaviour is not an error. */
export const playedRefusal = (server: PlayedServer, behaviour: PlayedBehaviour): UpstreamScript | undefined =>
  (REFUSALS[server] as Readonly<Partial<Record<PlayedBehaviour, UpstreamScript>>>)[behaviour];

/** What a server sends in a stream that it cannot finish, and how it ends. */
export const midStreamError = (server: PlayedServer): UpstreamStep[] => {
  if (server === 'vllm') {
    const error = { message: 'EngineCore secret', type: 'InternalServerError', param: null, code: 500 };
    return [sseEvent({ error }), sseEvent('[DONE]')];
  }
  if (server === 'sglang') {
    return [sseEvent({ error: { object: 'error', message: 'secret', type: 'InternalServerError', code: 500 } }), sseEvent('[DONE]')];
  }
  if (server === 'llama-server') return [sseEvent({ error: { code: 500, message: 'secret', type: 'server_error' } })];
  // It decodes its own error as an empty answer and ends the stream.
  return [];
};

/** GET answers by which a server is recognised. */
export function playedGets(server: PlayedServer): ReadonlyMap<string, UpstreamScript> {
  if (server === 'vllm') {
    return new Map([
      ['/v1/models', modelList('scripted', { owned_by: 'vllm', max_model_len: CONTEXT })],
      ['/version', jsonAnswer(200, { version: '0.19.1' })],
    ]);
  }
  if (server === 'sglang') {
    return new Map([
      ['/v1/models', modelList('scripted', { owned_by: 'sglang', max_model_len: CONTEXT })],
      ['/model_info', jsonAnswer(200, { model_path: 'scripted', has_image_understanding: true })],
    ]);
  }
  if (server === 'llama-server') {
    const props = { default_generation_settings: { n_ctx: CONTEXT }, modalities: { vision: true, audio: false } };
    return new Map([
      ['/v1/models', modelList('scripted', { owned_by: 'llamacpp', meta: { n_ctx: CONTEXT } })],
      ['/props', jsonAnswer(200, props)],
    ]);
  }
  const greeting: UpstreamScript = { headers: { 'content-type': 'text/plain' }, steps: [{ write: 'Ollama is running' }] };
  return new Map([
    ['/v1/models', modelList('scripted', { owned_by: 'library' })],
    ['/', greeting],
  ]);
}

/** Answers to other requests: token counts, and Ollama's model info. */
export function playedPosts(server: PlayedServer): ReadonlyMap<string, UpstreamAnswer> {
  if (server === 'vllm') {
    const tokenize = jsonAnswer(200, {
      count: PROMPT_TOKENS,
      max_model_len: CONTEXT,
      tokens: Array.from({ length: PROMPT_TOKENS }, (_, i) => i),
    });
    return new Map([['/tokenize', () => tokenize]]);
  }
  if (server === 'sglang') return new Map([['/v1/messages/count_tokens', () => jsonAnswer(200, { input_tokens: PROMPT_TOKENS })]]);
  if (server === 'llama-server') {
    const counted = jsonAnswer(200, { input_tokens: PROMPT_TOKENS, object: 'response.input_tokens' });
    return new Map([['/v1/chat/completions/input_tokens', () => counted]]);
  }
  return new Map([['/api/show', () => jsonAnswer(200, { capabilities: ['completion', 'tools', 'thinking', 'vision'] })]]);
}
