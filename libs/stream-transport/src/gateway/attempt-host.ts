import type { ControlMessage, EndFrame, ErrorFrame, Frame, Incarnation, StreamEvent } from '@slipway/contracts';
import type { StreamSettings } from '../stream-settings.js';
import type { Link } from '../wire/link.js';
import type { Attempt } from './attempt.js';
import type { ReceiverCounters } from './receiver-counters.js';
import type { StartPublisher } from './start-publisher.js';

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
  | { readonly kind: 'silent'; readonly accepted: boolean }
  /** The worker of a running attempt is dead. */
  | { readonly kind: 'dead' }
  /** The worker lives and holds the attempt no more. */
  | { readonly kind: 'gone' }
  | { readonly kind: 'too_large' }
  /** The own connection did not take the start. */
  | { readonly kind: 'unsent' }
  /** The own connection was lost while the start was on its way. */
  | { readonly kind: 'interrupted' };

/** Whose attempt it is. */
export interface AttemptOwner {
  accepted(attempt: Attempt): void;
  events(events: readonly StreamEvent[]): void;
  concluded(attempt: Attempt, outcome: Outcome): void;
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
  /** Frames of the attempt arrive from now on. */
  readonly enter: (attempt: Attempt) => void;
  /** Acknowledgements name the attempt from now on. */
  readonly join: (attempt: Attempt) => void;
  /** Acknowledgements name it no more. */
  readonly part: (attempt: Attempt) => void;
  /** The attempt is over; `cancelledAt` = when its worker was last told to stop. */
  readonly leave: (attempt: Attempt, cancelledAt: number) => void;
  /** The worker may forget the attempt. */
  readonly finish: (attempt: Attempt) => void;
  readonly control: (wk: Incarnation, message: ControlMessage) => void;
  readonly probe: (wk: Incarnation) => void;
}
