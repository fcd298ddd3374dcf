import type { ControlMessage, EndFrame, ErrorFrame, Frame, Incarnation, StreamEvent, StreamId } from '@slipway/contracts';
import type { StreamSettings } from '../stream-settings.js';
import type { Link } from '../wire/link.js';
import type { ReceiverCounters } from './receiver-counters.js';
import type { StartPublisher } from './start-publisher.js';
import type { WorkerVitals } from './worker-vitals.js';

export type RejectFrame = Extract<Frame, { k: 'rej' }>;

/** How an attempt was over, when nobody on this side ended it. */
export type Outcome =
  | { readonly kind: 'end'; readonly end: EndFrame }
  | { readonly kind: 'error'; readonly frame: ErrorFrame }
  | { readonly kind: 'rejected'; readonly frame: RejectFrame }
  /** What arrived is not what the worker sent. */
  | { readonly kind: 'corrupt' }
  /** Nobody serves the worker's subject; `settling` = the own connection is too young for that to mean anything. */
  | { readonly kind: 'absent'; readonly settling: boolean }
  /** The worker lives and did not answer the start in time. */
  | { readonly kind: 'late' }
  /**
   * The worker has said nothing since it got this start (`blame: 'this'`, also where it had accepted it), or since an earlier
   * one that it owes an answer too (`'another'`): then this one has not begun there.
   */
  | { readonly kind: 'silent'; readonly accepted: boolean; readonly blame: 'this' | 'another' }
  /** The worker of a running attempt is dead. */
  | { readonly kind: 'dead' }
  /** The worker lives and holds the attempt no more. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'too_large' }
  /** The own connection did not take the start. */
  | { readonly kind: 'unsent' }
  /** The own connection was lost while the start was on its way. */
  | { readonly kind: 'interrupted' };

/** An attempt as the ones around it see it: where it runs, and what they have to tell it. */
export interface AttemptLine {
  readonly st: StreamId;
  readonly at: number;
  readonly wk: Incarnation;
  /** Frame subject. */
  readonly subject: string;
  /** Position of the next event wanted. */
  readonly next: number;
  /** A frame arrived; null = one that this version does not understand. */
  frame(frame: Frame | null, now: number): void;
  /** The server found nobody who serves the start. */
  nobodyServes(now: number): void;
  /** The worker says that it does not hold the attempt. */
  gone(): void;
  /** The worker was found dead. */
  dead(): void;
  /** Whoever owns the attempt threw while it was told something. */
  crash(err: unknown): void;
}

/** Whose attempt it is. */
export interface AttemptOwner {
  accepted(attempt: AttemptLine): void;
  relaxed(places: readonly string[]): void;
  events(events: readonly StreamEvent[]): void;
  concluded(attempt: AttemptLine, outcome: Outcome): void;
  crashed(err: unknown): void;
}

/** What attempts need of their receiver. */
export interface AttemptHost {
  readonly gw: Incarnation;
  readonly settings: StreamSettings;
  readonly counters: ReceiverCounters;
  readonly link: Pick<Link, 'since' | 'provenSince' | 'prove' | 'whenUp'>;
  readonly starts: Pick<StartPublisher, 'send'>;
  readonly now: () => number;
  readonly vitals: (wk: Incarnation) => WorkerVitals;
  /** Frames of the attempt arrive from now on. */
  readonly enter: (attempt: AttemptLine) => void;
  /** Acknowledgements name the attempt from now on. */
  readonly join: (attempt: AttemptLine) => void;
  /** Acknowledgements name it no more. */
  readonly part: (attempt: AttemptLine) => void;
  /** The attempt is over; `cancelledAt` = when its worker was last told to stop. */
  readonly leave: (attempt: AttemptLine, cancelledAt: number) => void;
  /** The worker may forget the attempt. */
  readonly finish: (attempt: AttemptLine) => void;
  readonly control: (wk: Incarnation, message: ControlMessage) => void;
  readonly probe: (wk: Incarnation) => void;
}
