import { type CanonicalRequest, ServiceError } from '@slipway/contracts';
import { estimateTokens, IMAGE_TOKENS, type RequestFacts, type TokenCount } from '@slipway/engine';
import type { UpstreamFlavour } from './flavour.js';
import { NumberScan } from './number-scan.js';
import { type CountOptions, type CountStrategy, prepareCount, type PreparedCount } from './prepared-request.js';
import type { Pace } from './read-shares.js';
import { FACTS_LIMIT, readText, type UpstreamClient, type UpstreamResponse } from './upstream-client.js';
import { errorOfRefusal, parseRecord, readRefusal } from './upstream-error.js';

type Asking = Exclude<CountStrategy, 'estimate'>;

/** Where a server is asked, and the field of its answer that holds the count. */
const WAYS: Readonly<Record<Asking, { readonly path: string; readonly answer: string }>> = {
  'llama-input-tokens': { path: '/chat/completions/input_tokens', answer: 'input_tokens' },
  'vllm-tokenize': { path: '/../tokenize', answer: 'count' },
  anthropic: { path: '/messages/count_tokens', answer: 'input_tokens' },
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
const answerLimit = ({ promptBytes }: RequestFacts): number => Math.min(16 * 1024 * 1024, FACTS_LIMIT + 16 * promptBytes);

type ProbeOptions = Omit<CountOptions, 'strategy' | 'maxBytes'> & { readonly pace: Pace };

/** One prompt to be counted. */
export interface CountedPrompt {
  readonly prepared: PreparedCount;
  /** What may be quoted in a refusal and must not be repeated. */
  readonly sent: () => Iterable<string>;
  readonly pace: Pace;
  readonly signal: AbortSignal;
}

/** Counts prompts the way that a server offers. */
export class TokenCounter {
  /** @param strategy that the server is known to understand */
  constructor(
    private readonly client: UpstreamClient,
    readonly strategy: CountStrategy,
  ) {}

  /** Tries the ways that such a server may know; the first that brings a count is kept. */
  static async probe(client: UpstreamClient, options: ProbeOptions, signal: AbortSignal): Promise<TokenCounter> {
    for (const strategy of CANDIDATES[options.flavour]) {
      const counter = new TokenCounter(client, strategy);
      try {
        const prepared = prepareCount(HELLO, { ...options, strategy, maxBytes: null });
        const { exact, tokens } = await counter.count({ prepared, sent: () => [], pace: options.pace, signal });
        if (exact && tokens > 0) return counter;
      } catch (error) {
        if (signal.aborted) throw error;
      }
    }
    return new TokenCounter(client, 'estimate');
  }

  /** @throws ServiceError when the server refuses the prompt or fails. */
  async count({ prepared, sent, pace, signal }: CountedPrompt): Promise<TokenCount> {
    const { facts, body, isFaithful } = prepared;
    const { strategy } = this;
    if (strategy === 'estimate' || body === null) return estimate(facts);
    const { path, answer: field } = WAYS[strategy];
    const response = await this.client.postJson(path, body, signal);
    if (UNKNOWN_PATH.has(response.status)) {
      await readText(response.body, ERROR_BODY_LIMIT);
      return estimate(facts);
    }
    if (response.status !== 200) throw await refusalOf(response, sent());
    const counted = await readNumber(response.body, { field, limit: answerLimit(facts), pace });
    if (counted === null) throw new ServiceError('engine_error', 'The engine answered a count with something else.');
    return { tokens: counted + facts.images * IMAGE_TOKENS, exact: isFaithful };
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

async function refusalOf(response: UpstreamResponse, sent: Iterable<string>): Promise<ServiceError> {
  const text = await readText(response.body, ERROR_BODY_LIMIT);
  return errorOfRefusal(
    readRefusal({ status: response.status, body: parseRecord(text), text, retryAfter: response.header('retry-after'), sent }),
  );
}

const estimate = (facts: RequestFacts): TokenCount => ({ tokens: estimateTokens(facts), exact: false });
