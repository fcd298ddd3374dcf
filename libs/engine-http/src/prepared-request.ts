import { randomUUID } from 'node:crypto';
import { type CanonicalMessage, type CanonicalRequest, type ContentPart, ServiceError, textOf } from '@slipway/contracts';
import { factsOf, LazyFacts, type RequestFacts } from '@slipway/engine';
import { type CutTexts, jsonBytes } from '@slipway/platform';
import { anthropicPrompt } from './anthropic-prompt.js';
import type { AnswerWishes } from './choice-relay.js';
import { promptFields, requestBody, type RequestBodyOptions } from './request-body.js';

/** Images of one request that are fetched. */
const MAX_FETCHED = 16;

/** From here on a piece is sent from where it is, in bytes. */
const LONG_PIECE_BYTES = 32 * 1024;

/** What of a body is written out: text, or its UTF-8. */
export type BodyPiece = string | Uint8Array;

/** A request as it goes to a server, and what its answer is read by. */
export interface PreparedRequest {
  readonly facts: RequestFacts;
  readonly wishes: Pick<AnswerWishes, 'stops' | 'calls' | 'logprobs'>;
  /** The text that the answer is to go on with; '' for a new one. */
  readonly beginning: string;
  /** JSON of the body without its limit of tokens and its last brace, cut where an image belongs. */
  readonly pieces: readonly BodyPiece[];
  /** Addresses of the images, one for each cut. */
  readonly images: readonly string[];
}

type PrepareOptions = Omit<RequestBodyOptions, 'maxTokens'>;

/** @throws ServiceError for what the body cannot say, and for too many images. */
export function prepareRequest(request: CanonicalRequest, options: PrepareOptions): PreparedRequest {
  const cut = cutAtImages(request);
  const json = JSON.stringify(unlimitedBody(cut.request, options)).slice(0, -1);
  return {
    facts: new LazyFacts(request),
    ...readingOf(request),
    pieces: cut.images.length === 0 ? [json] : json.split(cut.mark),
    images: cut.images,
  };
}

/** The same, of values that can leave a thread. @param bytes length of the request's JSON */
export function prepareForTransfer(request: CanonicalRequest, options: PrepareOptions, bytes: number): PreparedRequest {
  const facts = factsOf(request);
  if (hasRemote(request)) {
    const prepared = prepareRequest(request, options);
    return { ...prepared, facts, pieces: prepared.pieces.map((piece) => Buffer.from(piece)) };
  }
  const json = jsonBytes(unlimitedBody(request, options), bytes);
  return { facts, ...readingOf(request), pieces: [json.subarray(0, -1)], images: [] };
}

/**
 * The same of a request in which marks stand for texts, which go into the body as they are.
 * @returns null where one of its texts is needed: the answer goes on with it, or an image must be fetched.
 */
export function prepareWithMarks(request: CanonicalRequest, options: PrepareOptions, texts: CutTexts): PreparedRequest | null {
  if (request.continue_final === true || hasRemote(request)) return null;
  const { pieces, moreBytes } = texts.putBack(JSON.stringify(unlimitedBody(request, options)).slice(0, -1));
  const { promptBytes, ...facts } = factsOf(request);
  return { facts: { ...facts, promptBytes: promptBytes + moreBytes }, ...readingOf(request), pieces: gathered(pieces), images: [] };
}

/** The same bytes in fewer pieces. What is long stays where it is: copying it costs more than a write. */
function gathered(pieces: readonly Uint8Array[]): Uint8Array[] {
  const fewer: Uint8Array[] = [];
  let short: Uint8Array[] = [];
  for (const piece of pieces) {
    if (piece.length < LONG_PIECE_BYTES) {
      short.push(piece);
      continue;
    }
    if (short.length > 0) fewer.push(Buffer.concat(short));
    fewer.push(piece);
    short = [];
  }
  if (short.length > 0) fewer.push(Buffer.concat(short));
  return fewer;
}

const unlimitedBody = (request: CanonicalRequest, options: PrepareOptions): object => requestBody(request, { maxTokens: null, ...options });

/** What the answer is read by. */
const readingOf = (request: CanonicalRequest): Pick<PreparedRequest, 'wishes' | 'beginning'> => ({
  wishes: {
    stops: request.stop,
    calls: request.parallel_tool_calls === false ? 1 : null,
    logprobs: request.logprobs ?? null,
  },
  beginning: beginningOf(request),
});

/** The whole body, in one piece where it is one. @param maxTokens null = no limit */
export function bodyOf(pieces: readonly BodyPiece[], maxTokens: number | null): string | readonly Uint8Array[] {
  const end = maxTokens === null ? '}' : `,"max_tokens":${maxTokens}}`;
  const [only] = pieces;
  if (pieces.length === 1 && typeof only === 'string') return only + end;
  const bytes = pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece));
  const last = bytes.at(-1);
  // Each piece is a write.
  if (last && last.length < LONG_PIECE_BYTES) return [...bytes.slice(0, -1), Buffer.concat([last, Buffer.from(end)])];
  return [...bytes, Buffer.from(end)];
}

function beginningOf({ messages, continue_final: continues }: CanonicalRequest): string {
  const last = messages.at(-1);
  return continues === true && last !== undefined ? textOf(last) : '';
}

const isRemote = (part: ContentPart): boolean => part.type === 'image' && !part.url.startsWith('data:');
const hasRemote = ({ messages }: CanonicalRequest): boolean => messages.some(({ content }) => content.some(isRemote));

/** Puts a mark where an image named by address stands: no engine is ever given an address. */
function cutAtImages(request: CanonicalRequest): { request: CanonicalRequest; images: string[]; mark: string } {
  const images: string[] = [];
  if (!hasRemote(request)) return { request, images, mark: '' };
  // Random, so that no request can contain it.
  const mark = randomUUID();
  const marked = (part: ContentPart): ContentPart => {
    if (part.type !== 'image' || !isRemote(part)) return part;
    images.push(part.url);
    return { type: 'image', url: mark };
  };
  const messages = request.messages.map((message): CanonicalMessage =>
    message.role === 'user' ? { ...message, content: message.content.map(marked) } : message,
  );
  if (images.length > MAX_FETCHED) {
    throw new ServiceError('unsupported_content', `A request may name at most ${MAX_FETCHED} images by address.`, { param: 'messages' });
  }
  return { request: { ...request, messages }, images, mark };
}

/** The pieces of a body with its images in their places. @param fetch gives an image as a `data:` URL */
export async function withImages(
  { pieces, images }: PreparedRequest,
  fetch: (address: string) => Promise<string>,
): Promise<readonly BodyPiece[]> {
  const whole: BodyPiece[] = [];
  for (const [nth, piece] of pieces.entries()) {
    whole.push(piece);
    const address = images[nth];
    // As bytes, which are sent as they are.
    if (address !== undefined) whole.push(Buffer.from(await fetch(address), 'latin1'));
  }
  return whole;
}

/** Bytes of UTF-8 for one UTF-16 code unit, at most. */
const BYTES_PER_CHAR = 3;

/**
 * The texts in the pieces of a body, roughly: the JSON of each piece as one text.
 * @param chars how long a text may be for its reader: of a longer one only so much is given that it is known to be longer.
 */
export function* textsIn(pieces: readonly BodyPiece[], chars: number): Generator<string> {
  for (const piece of pieces) {
    if (typeof piece === 'string') yield piece;
    else yield Buffer.from(piece.buffer, piece.byteOffset, Math.min(piece.length, BYTES_PER_CHAR * (chars + 1))).toString('utf8');
  }
}

/** Ways to have a server count a prompt. */
export type CountStrategy = 'anthropic' | 'vllm-tokenize' | 'llama-input-tokens' | 'estimate';

/** Whom a count is made for, and how. */
export interface CountOptions extends Omit<RequestBodyOptions, 'maxTokens'> {
  readonly strategy: CountStrategy;
  /** A longer prompt is estimated, in bytes; null = none is. */
  readonly maxBytes: number | null;
}

/** A prompt as a server is asked to count it. */
export interface PreparedCount {
  readonly facts: RequestFacts;
  /** JSON, or its UTF-8; null where the count is an estimate. */
  readonly body: string | Uint8Array | null;
  /** Whether the server's number will be the one that it generates by. */
  readonly isFaithful: boolean;
}

/** @throws ServiceError for what the body cannot say. */
export function prepareCount(request: CanonicalRequest, options: CountOptions): PreparedCount {
  const { strategy, maxBytes } = options;
  const facts = factsOf(request);
  const isAsked = strategy !== 'estimate' && (maxBytes === null || facts.promptBytes <= maxBytes);
  if (!isAsked) return { facts, body: null, isFaithful: false };
  // No server counts images beforehand as it does when it answers, and none may be given an address.
  const text = facts.images === 0 ? request : withoutImages(request);
  return { facts, body: JSON.stringify(fieldsOf(text, options)), isFaithful: facts.images === 0 && saysAll(request, strategy) };
}

function fieldsOf(request: CanonicalRequest, options: CountOptions): Record<string, unknown> {
  if (options.strategy === 'anthropic') return anthropicPrompt(request, options.model);
  const fields = promptFields(request, options);
  if (options.strategy === 'llama-input-tokens') return fields;
  // It reads the prompt alone; how calls are chosen is no part of it.
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...prompt } = fields;
  return { add_generation_prompt: true, ...prompt };
}

/** Whether a way of counting covers all arguments of a chat template. */
function saysAll({ template_args: args, reasoning, continue_final: continues }: CanonicalRequest, strategy: CountStrategy): boolean {
  return strategy !== 'anthropic' || (args === undefined && reasoning === undefined && continues !== true);
}

function withoutImages(request: CanonicalRequest): CanonicalRequest {
  const messages = request.messages.map((message): CanonicalMessage =>
    message.role === 'user' ? { ...message, content: message.content.filter(({ type }) => type === 'text') } : message,
  );
  return { ...request, messages };
}
