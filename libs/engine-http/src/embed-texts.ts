import { type CanonicalRequest, ServiceError, textOf, type Usage } from '@slipway/contracts';
import { BYTES_PER_TOKEN, type EngineOutput, estimateTokens, textTooLong, type UnreadRequest } from '@slipway/engine';
import type { Logger, ThreadPool } from '@slipway/platform';
import type { UpstreamFlavour } from './flavour.js';
import { readStart } from './prepare-task.js';
import type { UpstreamFacts } from './probe.js';
import { readVectors, type VectorAnswer } from './read-vectors.js';
import { prepareApart } from './request-preparer.js';
import { readText, type UpstreamClient } from './upstream-client.js';
import { errorOfRefusal, parseRecord, readRefusal } from './upstream-error.js';

export interface EmbedOptions {
  readonly client: UpstreamClient;
  readonly model: string;
  readonly facts: Pick<UpstreamFacts, 'flavour' | 'context'>;
  /** Numbers of a vector. */
  readonly dimensions: number;
  readonly credential: string | undefined;
  readonly readers: Pick<ThreadPool, 'run'> | undefined;
  readonly log: Pick<Logger, 'warn'>;
  /** Aborted with a ServiceError to fail the request, with anything else to end it in peace. */
  readonly signal: AbortSignal;
}

/** Where a server is asked for vectors, and with which body. Ollama cuts long texts unless its own contract says otherwise. */
export const embeddingQuestion = (flavour: UpstreamFlavour, model: string, input: readonly string[]): { path: string; body: string } =>
  flavour === 'ollama'
    ? { path: '/../api/embed', body: JSON.stringify({ model, input, truncate: false }) }
    : { path: '/embeddings', body: JSON.stringify({ model, input, encoding_format: 'float' }) };

/** Longest answer, in bytes: 64 vectors of 16,384 numbers. */
const ANSWER_BYTES_MAX = 32 * 1024 * 1024;
const ERROR_BYTES = 64 * 1024;
/** Longer answers are read in a thread: this much takes a millisecond. */
const READ_AT_ONCE_BYTES = 128 * 1024;

/** Has a server make the vectors of a request's texts. @throws ServiceError */
export async function embedTexts(request: CanonicalRequest | UnreadRequest, output: EngineOutput, options: EmbedOptions): Promise<Usage> {
  const { messages } = request instanceof Uint8Array ? readStart(request).req : request;
  const texts = messages.map(textOf);
  assertFitting(texts, options.facts.context);
  const promptBytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  output.read?.({ promptBytes, images: 0, maxTokens: undefined, choices: 1 });
  output.phase('prefill');
  const estimated = estimateTokens({ promptBytes, images: 0 });
  try {
    const { vectors, tokens } = await ask(texts, output, options);
    output.events(vectors.map((x, i) => ({ k: 'vec', i, x })));
    return { prompt: tokens ?? estimated, cached: 0, completion: 0, ...(tokens === null && { estimated: true }) };
  } catch (error) {
    const reason: unknown = options.signal.reason;
    if (options.signal.aborted && !(reason instanceof ServiceError))
      return { prompt: estimated, cached: 0, completion: 0, estimated: true };
    if (options.signal.aborted) throw reason;
    throw error instanceof ServiceError ? error : new ServiceError('engine_error', 'The engine cannot be reached.', { cause: error });
  }
}

/** @throws ServiceError for a text that no tokenizer makes fit. */
function assertFitting(texts: readonly string[], context: number | null): void {
  for (const [i, text] of texts.entries()) {
    const bytes = Buffer.byteLength(text);
    if (context !== null && bytes > BYTES_PER_TOKEN * context) throw textTooLong(i, Math.ceil(bytes / BYTES_PER_TOKEN), context, true);
  }
}

async function ask(texts: readonly string[], { account, trace }: EngineOutput, options: EmbedOptions): Promise<VectorAnswer> {
  const { client, model, facts, dimensions, readers, signal } = options;
  const { path, body } = embeddingQuestion(facts.flavour, model, texts);
  const response = await client.postJson(path, body, signal, trace);
  if (response.status !== 200) {
    const text = await readText(response.body, ERROR_BYTES);
    throw refusalOf({ status: response.status, text, retryAfter: response.header('retry-after') }, texts, options);
  }
  const bytes = await readBytes(response.body);
  const wanted = { texts: texts.length, dimensions };
  if (!readers || bytes.length <= READ_AT_ONCE_BYTES) return readVectors(bytes, wanted);
  return prepareApart(readers, { kind: 'vectors', start: bytes, options: wanted }, { account, signal });
}

/** @throws ServiceError for an answer that is longer than any that was asked for. */
async function readBytes(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > ANSWER_BYTES_MAX) throw new ServiceError('engine_error', 'The answer of the engine is too long.');
    pieces.push(piece);
  }
  return Buffer.concat(pieces, bytes);
}

/** What llama-server says of a text that is longer than its batch. */
const LONGER_THAN_BATCH = /too large to process|physical batch/i;

interface Refused {
  readonly status: number;
  readonly text: string;
  readonly retryAfter: string | undefined;
}

function refusalOf(
  { status, text, retryAfter }: Refused,
  texts: readonly string[],
  { credential = '', facts, log }: EmbedOptions,
): ServiceError {
  const refusal = readRefusal({ status, body: parseRecord(text), text, retryAfter, sent: [credential, ...texts] });
  log.warn({ status, said: refusal.said }, 'upstream.refused');
  const error = errorOfRefusal(refusal);
  if (error.code !== 'context_length_exceeded' && !LONGER_THAN_BATCH.test(refusal.message)) return error;
  // Servers do not say which text it was: the longest one is too long if any is.
  const longest = texts.reduce((best, one, i) => (one.length > (texts[best] ?? '').length ? i : best), 0);
  const { promptTokens, context = facts.context } = refusal;
  if (context !== null) return textTooLong(longest, promptTokens ?? context + 1, context, promptTokens === undefined);
  return new ServiceError('context_length_exceeded', 'The text is longer than the context of the model, and texts are not cut.', {
    param: `input[${longest}]`,
  });
}
