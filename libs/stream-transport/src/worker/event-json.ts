import type { StreamEvent } from '@slipway/contracts';

/** UTF-8 bytes that one UTF-16 code unit of JSON can need at most. */
const WORST_BYTES_PER_CHAR = 3;
/** Bytes of JSON that one UTF-16 code unit of text can need at most: a control character is written as `\u0000`. */
const WORST_JSON_BYTES_PER_CHAR = 6;
/** Bytes of an event's other fields at most. */
const FIELD_BYTES = 256;

/** Largest frame of several texts, or of a part of one, in bytes. */
const CUT_BYTES = 64 * 1024;

/** Events of one frame, as JSON without the brackets. */
export interface EventChunk {
  readonly n: number;
  readonly json: string;
}

type TextEvent = Extract<StreamEvent, { x: string; n: number }>;
const isText = (event: StreamEvent): event is TextEvent => 'x' in event && event.k !== 'vec';

const fits = (json: string, limit: number): boolean => json.length * WORST_BYTES_PER_CHAR <= limit || Buffer.byteLength(json) <= limit;

/**
 * Writes events as JSON and splits them over as many frames as the limit in bytes asks for. A text, a piece of reasoning or of
 * arguments that is larger than a frame becomes several events, cut between characters; its tokens count with the first of them.
 * @returns null when an event is larger than the limit and cannot be split.
 */
export function chunkEvents(events: readonly StreamEvent[], limit: number): EventChunk[] | null {
  // Large texts are cut small where possible: a frame occupies the event loop of both sides in proportion to its size.
  return (limit > CUT_BYTES ? chunksOf(events, CUT_BYTES) : null) ?? chunksOf(events, limit);
}

function chunksOf(events: readonly StreamEvent[], limit: number): EventChunk[] | null {
  const [only] = events;
  if (only && events.length === 1 && isText(only) && only.x.length > limit) return chunkEvent(only, limit);
  const whole = JSON.stringify(events).slice(1, -1);
  if (fits(whole, limit)) return [{ n: events.length, json: whole }];
  if (only && events.length === 1) return chunkEvent(only, limit);
  const half = events.length >> 1;
  const left = chunksOf(events.slice(0, half), limit);
  const right = left && chunksOf(events.slice(half), limit);
  return left && right && [...left, ...right];
}

function chunkEvent(event: StreamEvent, limit: number): EventChunk[] | null {
  const pieces = isText(event) ? split(event, limit) : [];
  if (pieces.length < 2) return null;
  const chunks: EventChunk[] = [];
  for (const piece of pieces) {
    const chunk = chunksOf([piece], limit);
    if (!chunk) return null;
    chunks.push(...chunk);
  }
  return chunks;
}

/** Cuts a text into pieces that fit; one with log probabilities is halved by tokens. */
function split(event: TextEvent, limit: number): TextEvent[] {
  if (event.k === 'text' && event.lp !== undefined && event.lp.length > 1) return splitByTokens(event, event.lp);
  const room = Math.floor((limit - FIELD_BYTES) / WORST_JSON_BYTES_PER_CHAR);
  if (room < 2) return [];
  const pieces: TextEvent[] = [];
  for (let from = 0; from < event.x.length;) {
    const to = characterBoundary(event.x, from + room);
    const x = event.x.slice(from, to);
    pieces.push(from === 0 ? { ...event, x } : withoutTokens(event, x));
    from = to;
  }
  return pieces;
}

function splitByTokens(event: Extract<TextEvent, { k: 'text' }>, lp: NonNullable<typeof event.lp>): TextEvent[] {
  const half = lp.length >> 1;
  const first = lp.slice(0, half);
  const text = first.map(({ t }) => t).join('');
  // A token may end inside a character, so that its text is not in the event's: then all text goes with the first half.
  const at = event.x.startsWith(text) ? text.length : event.x.length;
  const n = Math.min(event.n, half);
  return [
    { ...event, x: event.x.slice(0, at), n, lp: first },
    { ...event, x: event.x.slice(at), n: event.n - n, lp: lp.slice(half) },
  ];
}

function withoutTokens(event: TextEvent, x: string): TextEvent {
  if (event.k !== 'text') return { ...event, x, n: 0 };
  const { lp: _, ...rest } = event;
  return { ...rest, x, n: 0 };
}

/** The position, or the one before it where that lies inside a surrogate pair. */
function characterBoundary(text: string, position: number): number {
  if (position >= text.length) return text.length;
  const unit = text.charCodeAt(position);
  return unit >= 0xdc00 && unit <= 0xdfff ? position - 1 : position;
}
