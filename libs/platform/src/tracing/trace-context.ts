import { randomFillSync } from 'node:crypto';

/** One process's place in the trace of a request (W3C Trace Context). */
export interface TraceContext {
  /** 32 hex digits, the same in all processes of the request. */
  readonly traceId: string;
  /** 16 hex digits: this process's span. */
  readonly spanId: string;
  /** The caller's span; null where the trace begins here. */
  readonly parentId: string | null;
  /** Whether spans of the trace are exported. */
  readonly isSampled: boolean;
  /** The `tracestate` of vendors, as it came. */
  readonly state: string | undefined;
}

/** The headers that carry a trace to the next process. */
export interface TraceHeaders {
  readonly traceparent: string;
  readonly tracestate?: string;
}

const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;
/** What a `tracestate` may hold, in characters and in members; a longer one is dropped. */
const STATE_CHARS_MAX = 512;
const STATE_MEMBERS_MAX = 32;
const STATE_MEMBER = /^[\da-z][\da-z_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;
const SAMPLED = 1;

/**
 * Reads what a caller sent: the result's span is the caller's. Null for none and for an invalid `traceparent`, as the standard
 * demands; an invalid `tracestate` is dropped alone.
 */
export function readTrace(traceparent: string | undefined, tracestate?: string): TraceContext | null {
  const parts = traceparent === undefined ? null : TRACEPARENT.exec(traceparent.trim());
  if (!parts) return null;
  const [, version = '', traceId = '', spanId = '', flags = '', more] = parts;
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (ZEROS.test(traceId) || ZEROS.test(spanId)) return null;
  const isSampled = (Number.parseInt(flags, 16) & SAMPLED) !== 0;
  return { traceId, spanId, parentId: null, isSampled, state: stateOf(tracestate) };
}

function stateOf(text: string | undefined): string | undefined {
  if (text === undefined || text === '' || text.length > STATE_CHARS_MAX) return undefined;
  const members = text
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '');
  if (members.length === 0 || members.length > STATE_MEMBERS_MAX) return undefined;
  return members.every((member) => STATE_MEMBER.test(member)) ? members.join(',') : undefined;
}

/** This process's span below a caller's. */
export const childOf = (caller: TraceContext): TraceContext => ({ ...caller, spanId: randomHex(8), parentId: caller.spanId });

/** A trace that begins here. */
export const newTrace = (isSampled = false): TraceContext => ({
  traceId: randomHex(16),
  spanId: randomHex(8),
  parentId: null,
  isSampled,
  state: undefined,
});

/** What the next process gets: its caller is this span. */
export function traceHeaders({ traceId, spanId, isSampled, state }: TraceContext): TraceHeaders {
  const traceparent = `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
  return state === undefined ? { traceparent } : { traceparent, tracestate: state };
}

const pool = Buffer.alloc(4_096);
let at = pool.length;

/** Never zeros alone, which the standard reserves. */
function randomHex(bytes: number): string {
  if (at + bytes > pool.length) {
    randomFillSync(pool);
    at = 0;
  }
  const text = pool.toString('hex', at, at + bytes);
  at += bytes;
  return ZEROS.test(text) ? randomHex(bytes) : text;
}
