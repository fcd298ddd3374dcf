import { type CanonicalMessage, type CanonicalRequest, ServiceError } from '@slipway/contracts';
import type { TokenCount } from '../engine.js';
import { anthropicPrompt } from './anthropic-prompt.js';
import type { UpstreamFlavour } from './flavour.js';
import { NumberScan } from './number-scan.js';
import { FACTS_LIMIT } from './read-json.js';
import type { Pace } from './read-shares.js';
import { estimatePromptTokens, IMAGE_TOKENS, promptBytes, textsOf } from '../prompt-text.js';
import { promptFields, type RequestBodyOptions } from './request-body.js';
import { readText, type UpstreamClient, type UpstreamResponse } from './upstream-client.js';
import { errorOfRefusal, readRefusal } from './upstream-error.js';

/** Ways to have a server count a prompt. */
export type CountStrategy = 'anthropic' | 'vllm-tokenize' | 'llama-input-tokens' | 'estimate';

type Asking = Exclude<CountStrategy, 'estimate'>;
export type CountOptions = Omit<RequestBodyOptions, 'maxTokens'>;

interface Way {
  readonly path: string;
  body(request: CanonicalRequest, options: CountOptions): Record<string, unknown>;
  /** The field of the answer that holds the count. */
  readonly answer: string;
}

function tokenizeBody(request: CanonicalRequest, options: CountOptions): Record<string, unknown> {
  // It reads the prompt alone; how calls are chosen is no part of it.
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...prompt } = promptFields(request, options);
  return { add_generation_prompt: true, ...prompt };
}

const WAYS: Readonly<Record<Asking, Way>> = {
  'llama-input-tokens': { path: '/chat/completions/input_tokens', body: promptFields, answer: 'input_tokens' },
  'vllm-tokenize': { path: '/../tokenize', body: tokenizeBody, answer: 'count' },
  anthropic: { path: '/messages/count_tokens', body: (request, { model }) => anthropicPrompt(request, model), answer: 'input_tokens' },
};

/** Ollama counts nothing beforehand. */
const CANDIDATES: Readonly<Record<UpstreamFlavour, readonly Asking[]>> = {
  vllm: ['vllm-tokenize', 'anthropic'],
  sglang: ['anthropic'],
  'llama-server': ['llama-input-tokens', 'anthropic'],
  ollama: [],
  other: ['llama-input-tokens', 'vllm-tokenize', 'anthropic'],
};

const HELLO: CanonicalRequest = { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }], sampling: {}, stop: [] };
const UNKNOWN_PATH = new Set([404, 405, 501]);
const ERROR_BODY_LIMIT = 64 * 1024;

/** A server may list the tokens that it counted: a few bytes for each byte of the text, besides what else it says. */
const answerLimit = (request: CanonicalRequest): number => Math.min(16 * 1024 * 1024, FACTS_LIMIT + 16 * promptBytes(request));

/** Counts prompts the way that a server offers. */
export class TokenCounter {
  private constructor(
    private readonly client: UpstreamClient,
    private readonly options: CountOptions,
    readonly strategy: CountStrategy,
  ) {}

  /** Tries the ways that such a server may know; the first that brings a count is kept. */
  static async probe(client: UpstreamClient, options: CountOptions, pace: Pace, signal: AbortSignal): Promise<TokenCounter> {
    for (const strategy of CANDIDATES[options.flavour]) {
      const counter = new TokenCounter(client, options, strategy);
      try {
        const { exact, tokens } = await counter.count(HELLO, pace, signal);
        if (exact && tokens > 0) return counter;
      } catch (error) {
        if (signal.aborted) throw error;
      }
    }
    return new TokenCounter(client, options, 'estimate');
  }

  /** @throws ServiceError when the server refuses the prompt or fails. */
  async count(request: CanonicalRequest, pace: Pace, signal: AbortSignal): Promise<TokenCount> {
    const { strategy } = this;
    if (strategy === 'estimate') return estimate(request);
    const way = WAYS[strategy];
    // No server counts images beforehand as it does when it answers, and none may be given an address.
    const { images, text } = apart(request);
    const response = await this.client.post(way.path, way.body(text, this.options), signal);
    if (UNKNOWN_PATH.has(response.status)) {
      await readText(response.body, ERROR_BODY_LIMIT);
      return estimate(request);
    }
    if (response.status !== 200) throw await refusalOf(response, [...textsOf(request)]);
    const counted = await readNumber(response.body, { field: way.answer, limit: answerLimit(request), pace });
    if (counted === null) throw new ServiceError('engine_error', 'The engine answered a count with something else.');
    return { tokens: counted + images * IMAGE_TOKENS, exact: images === 0 && isFaithful(request, strategy) };
  }
}

/**
 * A number of an answer; null where it does not come within the limit. What follows it is read while it is short, which
 * leaves the connection to the next question.
 */
async function readNumber(
  body: AsyncIterable<Uint8Array>,
  { field, limit, pace }: { readonly field: string; readonly limit: number; readonly pace: Pace },
): Promise<number | null> {
  const scan = new NumberScan(field);
  let bytes = 0;
  let isWanted = true;
  for await (const piece of body) {
    bytes += piece.length;
    if (isWanted) isWanted = scan.feed(piece);
    if (bytes >= (isWanted ? limit : FACTS_LIMIT)) break;
    await mayReadOn(pace, piece.length);
  }
  return scan.value;
}

async function mayReadOn(pace: Pace, bytes: number): Promise<void> {
  let goOn = (): void => undefined;
  const later = new Promise<void>((resolve) => (goOn = resolve));
  if (!pace.take(bytes, false, goOn)) await later;
}

/** Whether a way has words for all that a chat template is told. */
function isFaithful({ template_args: args, reasoning, continue_final: continues }: CanonicalRequest, strategy: Asking): boolean {
  return strategy !== 'anthropic' || (args === undefined && reasoning === undefined && continues !== true);
}

function apart(request: CanonicalRequest): { images: number; text: CanonicalRequest } {
  let images = 0;
  const messages = request.messages.map((message): CanonicalMessage => {
    if (message.role !== 'user') return message;
    const content = message.content.filter(({ type }) => type === 'text');
    images += message.content.length - content.length;
    return { ...message, content };
  });
  return { images, text: images === 0 ? request : { ...request, messages } };
}

async function refusalOf(response: UpstreamResponse, sent: readonly string[]): Promise<ServiceError> {
  const text = await readText(response.body, ERROR_BODY_LIMIT);
  return errorOfRefusal(readRefusal(response.status, text, response.header('retry-after'), sent));
}

export const estimate = (request: CanonicalRequest): TokenCount => ({ tokens: estimatePromptTokens(request), exact: false });
