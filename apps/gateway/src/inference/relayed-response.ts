import type { EndFrame, ServiceError, StreamEvent } from '@slipway/contracts';

/** An HTTP response filled by a stream. After `end` or `fail`, only `tick` is called. */
export interface RelayedResponse {
  /** @throws ServiceError when the response grows too large; the caller then calls `fail` */
  events(events: readonly StreamEvent[]): void;
  /** @throws ServiceError when the answer is incomplete; the caller then calls `fail` */
  end(end: EndFrame): void;
  fail(error: ServiceError): void;
  /** Called four times a second, for keep-alives and timeouts. */
  tick(now: number): void;
}

/** Why a response is aborted without an error message: its client does not read. */
export type CutReason = 'client_too_slow' | 'client_stalled';

/** Memory of one token with its probability, in bytes. */
const PROBABILITY_BYTES = 64;

/** Approximate memory of an event's text and token probabilities, in bytes. */
export function eventBytes(event: StreamEvent): number {
  let bytes = 'x' in event ? 2 * event.x.length : 0;
  if (event.k !== 'text' || !event.lp) return bytes;
  for (const { top } of event.lp) bytes += PROBABILITY_BYTES * (1 + (top?.length ?? 0));
  return bytes;
}

/** Timeouts of relayed responses, in milliseconds. */
export interface RelayTimes {
  /** After this long without output, a stream sends its status line and keep-alives, since proxies close silent connections. */
  readonly commitStreamMs: number;
  /** Interval of keep-alives on a silent stream. */
  readonly keepAliveMs: number;
  /** After this long, a response that is not streamed sends its status line, since HTTP clients give up after 300 s without a byte. */
  readonly commitDocumentMs: number;
  /** A response whose client reads nothing for this long is aborted. */
  readonly stalledMs: number;
  /** Longest silence of an engine after its first output. */
  readonly engineSilenceMs: number;
}

/** Injects the `RelayTimes`. */
export const TIMES = Symbol('relay times');

/** The defaults. */
export const RELAY_TIMES: RelayTimes = {
  commitStreamMs: 15_000,
  keepAliveMs: 15_000,
  commitDocumentMs: 120_000,
  stalledMs: 60_000,
  engineSilenceMs: 120_000,
};
