import { z } from 'zod';
import { defineEvent } from '../channel.js';
import { Incarnation, StreamId } from '../ids.js';
import { enumOr } from '../schemas.js';
import { FinishReason, ReadFinishReason, StreamEvent, TOKENS_MAX, Usage } from './stream-event.js';

/** Position of an event in its stream; the first is 0. */
const Position = z.int().nonnegative();

/** Why a start was rejected; an unknown word is read as `busy`. Nothing was generated, so the gateway may try any worker. */
export const RejectCode = z.enum(['busy', 'draining', 'not_here', 'deadline', 'malformed', 'incomplete']);
export type RejectCode = z.infer<typeof RejectCode>;

/** Milliseconds spent by a stream at its worker. */
export const StreamTimes = z.object({ queue: z.number(), prefill: z.number(), total: z.number() });
export type StreamTimes = z.infer<typeof StreamTimes>;

/** Worker to gateway. The kinds `que`, `grant` and `hand` are reserved; readers ignore unknown ones. */
export const Frame = z.discriminatedUnion('k', [
  z.object({ k: z.literal('acc'), wk: Incarnation, rev: z.int(), fp: z.string(), lease_ms: z.int() }),
  z.object({
    k: z.literal('rej'),
    wk: Incarnation,
    code: enumOr(RejectCode, 'busy'),
    retry_ms: z.int().nonnegative(),
    used: z.int(),
    slots: z.int(),
  }),
  /** Events `q` to `q + e.length - 1`. */
  z.object({ k: z.literal('d'), q: Position, e: z.array(StreamEvent).min(1) }),
  /**
   * Alive; `q` = events produced so far, which reveals a lost last frame. `relaxed` announces that of the `start` event, because
   * a client's headers may be sent before the prompt is evaluated. Absent from workers up to 0.1.0.
   */
  z.object({
    k: z.literal('hb'),
    q: Position,
    ph: enumOr(z.enum(['queue', 'prefill', 'decode']), 'prefill'),
    relaxed: z.array(z.string()).optional(),
  }),
  /** Everything is produced. Repeated until acknowledged. `sum` covers the text of all events from 0 on. */
  z.object({
    k: z.literal('end'),
    q: Position,
    fin: enumOr(z.enum(['done', 'cancelled']), 'done'),
    usage: Usage,
    sum: z.int().nonnegative(),
    tm: StreamTimes,
  }),
  /**
   * Failed; repeated like `end`. `retry: other` = another worker may succeed. `waited` = it waited for a slot in vain, so nothing
   * ran: it is as good as a rejection with `busy`. Absent from workers up to 0.1.0.
   */
  z.object({
    k: z.literal('err'),
    q: Position,
    code: z.string(),
    msg: z.string(),
    retry: enumOr(z.enum(['no', 'other']), 'no'),
    param: z.string().optional(),
    facts: z.record(z.string(), z.union([z.number(), z.string()])).optional(),
    waited: z.boolean().optional(),
  }),
]);
export type Frame = z.infer<typeof Frame>;
/** The frame that carries events. */
export type DataFrame = Extract<Frame, { k: 'd' }>;
/** The last frame of a complete or cancelled stream. */
export type EndFrame = Extract<Frame, { k: 'end' }>;
/** The last frame of a failed stream. */
export type ErrorFrame = Extract<Frame, { k: 'err' }>;

/** Frames of attempts of one gateway, as `[stream, attempt, frame]`; those of one attempt are in order. */
export const FrameBatch = z.object({ k: z.literal('batch'), f: z.array(z.tuple([StreamId, z.int().positive(), Frame])).min(1) });

/**
 * Frames of one attempt; the subject is the start's reply subject. To a gateway whose start said `batch`, frames of other
 * attempts may come with them: then the subject is that of any attempt in the batch.
 */
export const Frames = defineEvent({
  subject: 'inf.{env}.v1.g.{gw}.r.{st}.{at}',
  publishers: ['worker', 'runner'],
  subscribers: ['gateway'],
  message: z.union([Frame, FrameBatch]),
});

/** Reply subject of interest checks: the NATS server answers 503 here when a stream has no subscriber. */
export const NoInterest = defineEvent({
  subject: 'inf.{env}.v1.w.{wk}.ni.{st}.{at}',
  publishers: [],
  subscribers: ['worker', 'runner'],
  message: z.unknown(),
});

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0;
const isCountOrAbsent = (value: unknown): boolean => value === undefined || isCount(value);

type Fields = Readonly<Record<string, unknown>>;
const isProbability = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof (value as Fields)['t'] === 'string' && Number.isFinite((value as Fields)['p']);
const isLogprobs = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.every(isProbability));
const isTextEvent = ({ c, x, n, lp }: Fields): boolean => typeof x === 'string' && isCount(n) && isCountOrAbsent(c) && isLogprobs(lp);
const isCallEvent = ({ c, i, id, name, n }: Fields): boolean =>
  typeof id === 'string' && id !== '' && typeof name === 'string' && name !== '' && isCount(i) && isCount(n) && isCountOrAbsent(c);
const isArgsEvent = ({ c, i, x, n }: Fields): boolean => typeof x === 'string' && isCount(i) && isCount(n) && isCountOrAbsent(c);
const isTexts = (value: unknown): boolean =>
  value === undefined || (Array.isArray(value) && value.every((each) => typeof each === 'string'));
const isStartEvent = ({ prompt, cached, relaxed }: Fields): boolean =>
  isCountOrAbsent(prompt) && isCountOrAbsent(cached) && isTexts(relaxed);

const FINISH_REASONS: ReadonlySet<unknown> = new Set(FinishReason.options);
const isFinishReason = (value: unknown): value is FinishReason => FINISH_REASONS.has(value);

/** Replaces an unknown finish reason by a known one. */
function isFinEvent(event: Record<string, unknown>): boolean {
  const { c, r, stop } = event;
  const data = isFinishReason(r) ? r : ReadFinishReason.safeParse(r).data;
  if (data === undefined || (stop !== undefined && typeof stop !== 'string') || !isCountOrAbsent(c)) return false;
  event['r'] = data;
  return true;
}

function isEvent(event: unknown): boolean {
  if (typeof event !== 'object' || event === null) return false;
  const { k } = event as Fields;
  if (k === 'text' || k === 'think') return isTextEvent(event as Fields);
  if (k === 'call') return isCallEvent(event as Fields);
  if (k === 'args') return isArgsEvent(event as Fields);
  if (k === 'start') return isStartEvent(event as Fields);
  if (k === 'fin') return isFinEvent(event as Record<string, unknown>);
  return typeof k === 'string';
}

/** A frame and the attempt that it belongs to; a null frame is one that this version does not understand. */
export interface AddressedFrame {
  readonly st: string;
  readonly at: number;
  readonly frame: Frame | null;
}

const BATCH_START = '{"k":"batch"';

/**
 * Reads the message of a frame subject: one frame, or the list of a batch. Data frames are checked by hand, because a schema
 * would cost more than all other work for a token, as are acceptances and ends, of which each request has one; all other kinds
 * are checked by their schema. Events of unknown kinds are kept, because each counts as one event.
 * @returns null for a message that this version does not understand.
 */
export function readFrames(text: string): Frame | readonly AddressedFrame[] | null {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return null;
  }
  if (!text.startsWith(BATCH_START)) return frameOf(message);
  const { f } = message as { f?: unknown };
  return Array.isArray(f) ? f.flatMap(addressedFrameOf) : null;
}

function addressedFrameOf(entry: unknown): AddressedFrame[] {
  const [st, at, frame] = Array.isArray(entry) ? (entry as unknown[]) : [];
  return typeof st === 'string' && isCount(at) ? [{ st, at: at as number, frame: frameOf(frame) }] : [];
}

const isTokens = (value: unknown): boolean => isCount(value) && (value as number) <= TOKENS_MAX;

function isPlainUsage(usage: unknown): boolean {
  if (typeof usage !== 'object' || usage === null) return false;
  const { prompt, cached, completion, reasoning, estimated } = usage as Fields;
  if (!isTokens(prompt) || !isTokens(cached) || !isTokens(completion)) return false;
  return (reasoning === undefined || isTokens(reasoning)) && (estimated === undefined || typeof estimated === 'boolean');
}

function isTimes(times: unknown): boolean {
  if (typeof times !== 'object' || times === null) return false;
  const { queue, prefill, total } = times as Fields;
  return Number.isFinite(queue) && Number.isFinite(prefill) && Number.isFinite(total);
}

const isAcceptance = ({ k, wk, rev, fp, lease_ms: lease }: Fields): boolean =>
  k === 'acc' && isCount(rev) && isCount(lease) && typeof fp === 'string' && Incarnation.safeParse(wk).success;

/** An end of the usual form; one of another form is for the schema to judge. */
function isPlainEnd({ k, q, fin, usage, sum, tm }: Fields): boolean {
  if (k !== 'end' || !isCount(q) || !isCount(sum) || (fin !== 'done' && fin !== 'cancelled')) return false;
  return isPlainUsage(usage) && isTimes(tm);
}

/** What a frame of a usual kind holds is checked by hand; whatever that does not accept is for the schema to judge. */
function frameOf(frame: unknown): Frame | null {
  if (typeof frame !== 'object' || frame === null) return null;
  const { k, q, e } = frame as { k?: unknown; q?: unknown; e?: unknown };
  if (k !== 'd')
    return isAcceptance(frame as Fields) || isPlainEnd(frame as Fields) ? (frame as Frame) : (Frame.safeParse(frame).data ?? null);
  const wellFormed = isCount(q) && Array.isArray(e) && e.length > 0 && e.every(isEvent);
  return wellFormed ? (frame as DataFrame) : null;
}

/** The text of a batch. @param frames of one gateway, each as JSON, those of one attempt in order */
export const batchOf = (frames: readonly { readonly st: StreamId; readonly at: number; readonly json: string }[]): string =>
  `${BATCH_START},"f":[${frames.map(({ st, at, json }) => `["${st}",${at},${json}]`).join(',')}]}`;
