import type { EndFrame, ServiceError, StreamEvent } from '@slipway/contracts';

/** One response as a stream fills it. After `end` or `fail` nothing more is told to it. */
export interface Answer {
  /** @throws ServiceError when this is more than can be answered; the caller then fails it. */
  events(events: readonly StreamEvent[]): void;
  /** @throws ServiceError when the answer is not complete; the caller then fails it. */
  end(end: EndFrame): void;
  fail(error: ServiceError): void;
  /** Called several times a second, for what depends on time. */
  tick(now: number): void;
}

/** Why an answer is cut without a word to its client, who is not listening. */
export type CutReason = 'client_too_slow' | 'client_stalled';
