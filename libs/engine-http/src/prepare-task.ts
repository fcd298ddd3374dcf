import { type ErrorCode, isServiceError, ServiceError, type ServiceErrorOptions, Start } from '@slipway/contracts';
import { cutTexts } from '@slipway/platform';
import {
  type CountOptions,
  prepareCount,
  type PreparedCount,
  type PreparedRequest,
  prepareForTransfer,
  prepareWithMarks,
} from './prepared-request.js';
import type { RequestBodyOptions } from './request-body.js';
import { assertSupported } from './flavour.js';
import { readVectors, type VectorAnswer, type WantedVectors } from './read-vectors.js';

/** What a thread makes of a start, given as JSON in UTF-8. */
export type PrepareTask =
  | { readonly kind: 'request'; readonly start: Uint8Array; readonly options: Omit<RequestBodyOptions, 'maxTokens'> }
  | { readonly kind: 'count'; readonly start: Uint8Array; readonly options: CountOptions }
  /** `start` = a server's answer with vectors. */
  | { readonly kind: 'vectors'; readonly start: Uint8Array; readonly options: WantedVectors };

/** What a thread says; the request itself does not come back. */
export type PrepareOutcome =
  | { readonly kind: 'prepared'; readonly prepared: PreparedRequest | PreparedCount | VectorAnswer }
  | { readonly kind: 'refused'; readonly code: ErrorCode; readonly message: string; readonly options: ServiceErrorOptions }
  | { readonly kind: 'failed'; readonly reason: string };

/** Where a start has the texts of its messages. */
const TEXTS: ReadonlySet<string> = new Set(['req\nmessages\n\ncontent\n\ntext']);
/** Largest start that is prepared without its texts, in bytes; finding them takes 3 ms at most. */
const START_BYTES_MAX = 1024 * 1024;
/** Most bytes of a start beside its texts: reading the worst takes 3 ms. */
const REST_BYTES_MAX = 64 * 1024;

/**
 * Writes out what a server is sent for a large start, without reading its long texts: for the event loop that serves the streams.
 * @param start JSON in UTF-8
 * @returns null for a start that must be read whole, in a thread.
 * @throws ServiceError for what the server cannot do.
 */
export function prepareWithoutTexts(start: Uint8Array, options: Omit<RequestBodyOptions, 'maxTokens'>): PreparedRequest | null {
  const cut = start.length > START_BYTES_MAX ? null : cutTexts(start, { places: TEXTS, restMax: REST_BYTES_MAX });
  if (!cut) return null;
  const { req } = readStart(cut.json);
  assertSupported(req, options);
  return prepareWithMarks(req, options, cut.texts);
}

/** Reads a start and writes out what its server is sent. Never throws. */
export function prepareInThread(task: PrepareTask): PrepareOutcome {
  try {
    return { kind: 'prepared', prepared: prepare(task) };
  } catch (error) {
    if (!isServiceError(error)) return { kind: 'failed', reason: error instanceof Error ? (error.stack ?? error.message) : 'unknown' };
    const { code, message, param, facts, retryAfterS } = error;
    return { kind: 'refused', code, message, options: { param, facts, retryAfterS } };
  }
}

function prepare(task: PrepareTask): PreparedRequest | PreparedCount | VectorAnswer {
  if (task.kind === 'vectors') return readVectors(task.start, task.options);
  const { req } = readStart(task.start);
  if (task.kind === 'request') {
    assertSupported(req, task.options);
    return prepareForTransfer(req, task.options, task.start.length);
  }
  const { body, ...count } = prepareCount(req, task.options);
  return { ...count, body: body === null ? null : Buffer.from(body) };
}

/** Another worker may be of another version. @throws ServiceError */
export function readStart(bytes: Uint8Array): Start {
  let start: Start | undefined;
  try {
    start = Start.message.safeParse(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))).data;
  } catch {
    start = undefined;
  }
  if (!start) throw new ServiceError('internal', 'The request reached its worker in a form that it cannot read.');
  return start;
}
