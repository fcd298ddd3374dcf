import { type CanonicalRequest, dimensionsIn, ServiceError } from '@slipway/contracts';
import type { ResolvedDeployment } from '../../deployments/deployment-resolver.service.js';
import { readerOf } from '../shared/checker.js';
import { fault, WORDING } from '../shared/error-object.js';
import { type JsonObject, withoutNulls } from '../shared/faults.js';
import { textPart } from '../shared/fields.js';
import type { RequestParts, SurfaceRequest } from '../surface.js';
import { EmbeddingsBody } from './schema.js';

/** Texts and estimated tokens of one part. */
const PART = { texts: 64, tokens: 8_192 };
/** Most tokens of all texts, estimated as below. */
const TOKENS_MAX = 300_000;
const CHARS_PER_TOKEN = 4;
/** Tokens around a text. */
const TEXT_TOKENS = 2;
/** No tokenizer makes fewer tokens of a text: a longer one need not be counted. */
const CHARS_PER_TOKEN_MAX = 64;
/** Largest answer, in bytes, and what a number takes in it: as text, and in base64. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const NUMBER_BYTES = { float: 16, base64: 16 / 3 };

/** A checked request for embeddings. */
export interface EmbeddingsRequest extends SurfaceRequest {
  readonly format: 'float' | 'base64';
  /** Numbers of each vector; null = the model's own. */
  readonly dimensions: number | null;
  readonly texts: number;
  readonly parts: RequestParts;
}

const readBody = readerOf(EmbeddingsBody, WORDING);

/** The error of a `model` that is not the deployment of the path. @param slug of that deployment. */
export const wrongModel = (slug: string): ServiceError =>
  fault('model_mismatch', 'model', `'model' names another deployment than the URL; send "${slug}".`);

/**
 * Converts a request body into canonical requests, one for each part.
 * @throws ServiceError naming the first fault
 */
export function readEmbeddingsRequest(body: JsonObject, deployment: ResolvedDeployment): EmbeddingsRequest {
  const present = withoutNulls(body);
  refuseTokens(present['input']);
  const { model, input, dimensions, encoding_format: format = 'float' } = readBody(present);
  const texts = typeof input === 'string' ? [input] : input;
  if (!deployment.isNamed(model)) throw wrongModel(deployment.slug);
  const { caps, context } = deployment.facts;
  assertFitting(texts, context);
  const size = dimensionsIn(caps);
  if (dimensions !== undefined) assertDimensions(dimensions, size, caps);
  if (size !== null) assertAnswer(texts.length, dimensions ?? size, format);
  const [first, ...more] = partsOf(texts);
  if (!first) throw fault('empty_array', 'input', "'input' must hold a text.");
  return {
    canonical: first.request,
    stream: false,
    affinity: undefined,
    format,
    dimensions: dimensions ?? null,
    texts: texts.length,
    parts: {
      firsts: [0, ...more.map(({ from }) => from)],
      costs: [first.cost, ...more.map(({ cost }) => cost)],
      // Bytes, because a thread returns them without a copy of each text.
      more: more.map(({ request }) => new TextEncoder().encode(JSON.stringify(request))),
      units: [first.units, ...more.map(({ units }) => units)],
    },
  };
}

/** Token ids are of another tokenizer: an engine would make a vector of some other text. @throws ServiceError */
function refuseTokens(input: unknown): void {
  const first: unknown = Array.isArray(input) ? input[0] : undefined;
  if (typeof first !== 'number' && !Array.isArray(first)) return;
  throw fault(
    'unsupported_value',
    'input',
    "'input' holds token ids: token ids belong to another model's tokenizer; send text (LangChain: check_embedding_ctx_length=False).",
  );
}

const tokensOf = (text: string): number => TEXT_TOKENS + Math.ceil(text.length / CHARS_PER_TOKEN);

/** @throws ServiceError for a text that no tokenizer makes fit, or for too many tokens in all. */
function assertFitting(texts: readonly string[], context: number | null): void {
  const longest = context === null ? Infinity : CHARS_PER_TOKEN_MAX * context;
  const at = texts.findIndex(({ length }) => length > longest);
  if (at >= 0 && context !== null) {
    const tokens = Math.ceil((texts[at]?.length ?? 0) / CHARS_PER_TOKEN_MAX);
    throw new ServiceError('context_length_exceeded', '', { param: `input[${at}]`, facts: { tokens, context, estimated: 1 } });
  }
  const tokens = texts.reduce((sum, text) => sum + tokensOf(text), 0);
  if (tokens <= TOKENS_MAX) return;
  throw fault('invalid_value', 'input', `'input' may hold ${TOKENS_MAX} tokens in all, and has about ${tokens}; send fewer texts.`);
}

/** @param size numbers of the model's vectors; null = no engine has reported. @throws ServiceError */
function assertDimensions(wanted: number, size: number | null, caps: readonly string[]): void {
  if (size === null || wanted === size) return;
  if (wanted > size) throw fault('invalid_value', 'dimensions', `'dimensions' may be ${size} at most: the model makes no longer vectors.`);
  if (caps.includes('matryoshka')) return;
  throw fault(
    'unsupported_value',
    'dimensions',
    `The vectors of this deployment cannot be shortened: send ${size} or leave 'dimensions' out. Its owner declares a Matryoshka model by the option "matryoshka" of its engine.`,
  );
}

/** Before any work: a larger answer could not be sent. @throws ServiceError */
function assertAnswer(texts: number, dimensions: number, format: EmbeddingsRequest['format']): void {
  if (texts * dimensions * NUMBER_BYTES[format] <= ANSWER_BYTES_MAX) return;
  const advice = format === 'float' ? 'ask for encoding_format "base64", or send fewer texts' : 'send fewer texts';
  throw fault('invalid_value', 'input', `The answer would be larger than 64 MiB: ${advice}.`);
}

interface Part {
  /** Number of its first text. */
  readonly from: number;
  readonly cost: number;
  /** UTF-16 code units of its texts. */
  readonly units: number;
  readonly request: CanonicalRequest;
}

function partsOf(texts: readonly string[]): Part[] {
  const parts: Part[] = [];
  let from = 0;
  let cost = 0;
  const end = (to: number): void => {
    const own = texts.slice(from, to);
    parts.push({ from, cost, units: own.reduce((sum, { length }) => sum + length, 0), request: requestOf(own) });
  };
  for (const [i, text] of texts.entries()) {
    const tokens = tokensOf(text);
    if (i > from && (i - from === PART.texts || cost + tokens > PART.tokens)) {
      end(i);
      from = i;
      cost = 0;
    }
    cost += tokens;
  }
  end(texts.length);
  return parts;
}

/** Each message holds one text. */
const requestOf = (texts: readonly string[]): CanonicalRequest => ({
  messages: texts.map((text) => ({ role: 'user', content: [textPart(text)] })),
  sampling: {},
  stop: [],
});
