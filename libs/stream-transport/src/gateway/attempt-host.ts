import type { ControlMessage, EndFrame, ErrorFrame, Frame, Incarnation, StreamEvent, StreamId } from '@slipway/contracts';
import type { StreamSettings } from '../stream-settings.js';
import type { Link } from '../wire/link.js';
import type { ReceiverCounters } from './receiver-counters.js';
import type { StartPublisher } from './start-publisher.js';
import type { WorkerVitals } from './worker-peers.js';

/** Shared by all aborts: an abort without a reason would create an exception with a stack trace each time. */
const ABORTED = new Error('The wait has ended.');

/**
 * An AbortController that is created on first use of `signal`. Most streams never need one, and creating it costs more than
 * most other steps of a short request.
 */
export class LazyAbort {
  #controller: AbortController | null = null;
  #aborted = false;

  /** Aborts when `abort` is called; already aborted after that. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#aborted) this.#controller.abort(ABORTED);
    return this.#controller.signal;
  }

  abort(): void {
    this.#aborted = true;
    this.#controller?.abort(ABORTED);
  }
}

export type RejectFrame = Extract<Frame, { k: 'rej' }>;

/** How an attempt ended, unless the gateway itself ended it. */
export type Outcome =
  | { readonly kind: 'end'; readonly end: EndFrame }
  | { readonly kind: 'error'; readonly frame: ErrorFrame }
  | { readonly kind: 'rejected'; readonly frame: RejectFrame }
  /** The checksum of the events does not match. */
  | { readonly kind: 'corrupt' }
  /** The worker's subject has no subscriber; `settling` = that is no evidence: the gateway's connection is too new, or the worker moves. */
  | { readonly kind: 'absent'; readonly settling: boolean }
  /** The worker is alive but did not answer the start in time. */
  | { readonly kind: 'late' }
  /**
   * The worker has sent nothing since it got this start (`since: 'this_start'`, accepted or not), or since an earlier start
   * that it has not answered either (`'earlier_start'`): then it has not begun this one.
   */
  | { readonly kind: 'silent'; readonly accepted: boolean; readonly since: 'this_start' | 'earlier_start' }
  /** The worker of a running attempt is dead. */
  | { readonly kind: 'dead' }
  /** The worker is alive but no longer has the attempt. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'too_large' }
  /** The gateway's connection refused the start. */
  | { readonly kind: 'unsent' }
  /** The gateway's connection was lost while the start was in flight. */
  | { readonly kind: 'interrupted' };

/** An attempt as receiver, stream and peers use it. */
export interface ActiveAttempt {
  readonly st: StreamId;
  readonly at: number;
  readonly wk: Incarnation;
  /** Frame subject. */
  readonly subject: string;
  /** Position of the next event wanted. */
  readonly next: number;
  /** A frame arrived; null = it could not be read by this version. */
  frame(frame: Frame | null, now: number): void;
  /** The start's subject has no subscriber. */
  noResponders(now: number): void;
  /** A probe of the worker found no subscriber. */
  probeFailed(now: number): void;
  /** The worker does not have the attempt. */
  gone(): void;
  /** The worker is dead. */
  dead(): void;
  /** The attempt's owner threw. */
  crash(err: unknown): void;
}

/** Receives what happens to its attempt. */
export interface AttemptOwner {
  accepted(attempt: ActiveAttempt): void;
  relaxed(places: readonly string[]): void;
  events(events: readonly StreamEvent[]): void;
  concluded(attempt: ActiveAttempt, outcome: Outcome): void;
  crashed(err: unknown): void;
}

/** What an attempt needs from its receiver. */
export interface AttemptHost {
  readonly gw: Incarnation;
  readonly settings: StreamSettings;
  readonly counters: ReceiverCounters;
  readonly link: Pick<Link, 'since' | 'provenSince' | 'prove' | 'whenUp'>;
  readonly starts: Pick<StartPublisher, 'send'>;
  readonly now: () => number;
  readonly vitals: (wk: Incarnation) => WorkerVitals;
  /** Whether the worker is on its way to another NATS server. */
  readonly moves: (wk: Incarnation) => boolean;
  /** Routes frames to the attempt. */
  readonly enter: (attempt: ActiveAttempt) => void;
  /** Adds the attempt to the acknowledgements of its worker. */
  readonly join: (attempt: ActiveAttempt) => void;
  /** Removes the attempt from the acknowledgements. */
  readonly part: (attempt: ActiveAttempt) => void;
  /** The attempt has ended; `cancelledAt` = when its worker last got a cancel. */
  readonly leave: (attempt: ActiveAttempt, cancelledAt: number) => void;
  /** Lets the worker drop the attempt, with the next acknowledgement. */
  readonly finish: (attempt: ActiveAttempt) => void;
  readonly control: (wk: Incarnation, message: ControlMessage) => void;
  readonly probe: (wk: Incarnation) => void;
}
