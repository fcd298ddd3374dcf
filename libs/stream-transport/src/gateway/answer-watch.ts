import type { PendingStart, WorkerVitals } from './worker-peers.js';

interface SilenceSettings {
  readonly silenceMs: number;
  readonly probeMs: number;
}

/**
 * `ask` = silent for too long: probe the worker and ping the NATS server, once. `prove` = the server has not answered yet, so
 * the worker's silence proves nothing. `lost` = the server answers and the worker still does not.
 */
type SilenceVerdict = 'well' | 'ask' | 'prove' | 'lost';

/** Decides from silence, or from a gap that no replay fills, whether an accepted attempt is lost. */
export class SilenceWatch {
  #lastFrameAt = 0;
  #askedAt: number | null = null;
  #gapSince: number | null = null;

  readonly #settings: SilenceSettings;

  constructor(settings: SilenceSettings) {
    this.#settings = settings;
  }

  /** A frame of any kind arrived. */
  frameReceived(now: number): void {
    this.#lastFrameAt = now;
    this.#askedAt = null;
  }

  /** A frame arrived ahead of missing ones. */
  gap(now: number): void {
    this.#gapSince ??= now;
  }

  /** The next event in order arrived. */
  progress(): void {
    this.#gapSince = null;
  }

  /** Restarts the silence and gap timeouts. */
  restart(now: number): void {
    this.frameReceived(now);
    this.#gapSince = null;
  }

  /** `provenSince` = when the newest ping was sent that the NATS server has answered. */
  judge(now: number, provenSince: number): SilenceVerdict {
    const { silenceMs, probeMs } = this.#settings;
    if (this.#gapSince !== null && now - this.#gapSince > silenceMs + probeMs) return 'lost';
    if (now - this.#lastFrameAt <= silenceMs) return 'well';
    if (this.#askedAt === null) {
      this.#askedAt = now;
      return 'ask';
    }
    if (now - this.#askedAt < probeMs) return 'well';
    return provenSince >= this.#askedAt ? 'lost' : 'prove';
  }
}

export interface AnswerSettings {
  readonly acceptMs: number;
  readonly partsMs: number;
  readonly probeMs: number;
}

/**
 * `prove` = the NATS server has not answered since the start was sent, so the worker's silence proves nothing. `probe` = probe the
 * worker, once. `late` = the worker is alive but did not answer in time. `this_start` = it has sent nothing since this start.
 * `earlier_start` = nor has it answered the start before. Workers handle starts in order, so it has not begun this one.
 */
export type AnswerVerdict = 'well' | 'prove' | 'probe' | 'late' | 'this_start' | 'earlier_start';

const NEVER = Number.NEGATIVE_INFINITY;

/** Decides from time and the worker's other messages what an unanswered start means. */
export class AnswerWatch {
  #sentAt = 0;
  /** Time limit for the worker's answer, from when the whole start was sent; null = not sent yet, or answered. */
  #answerMs: number | null = null;
  /** The start before this one, while it is unanswered; null = none. */
  #earlier: Readonly<PendingStart> | null = null;
  /** This start, while its answer is awaited; null = not sent yet, or no longer awaited. */
  #pending: PendingStart | null = null;
  #inParts = false;
  /** When the worker was probed, after its time for an answer; -Infinity = not yet. */
  #probedAt = NEVER;
  readonly #settings: AnswerSettings;
  readonly #vitals: WorkerVitals;

  constructor(settings: AnswerSettings, vitals: WorkerVitals) {
    this.#settings = settings;
    this.#vitals = vitals;
  }

  /** Whether the whole start was sent and its answer is awaited. */
  get waits(): boolean {
    return this.#answerMs !== null;
  }

  /** Whether the start was sent in parts, over a connection on which the server reports no missing subscriber to this side. */
  get inParts(): boolean {
    return this.#inParts;
  }

  /** Counts the start as unanswered at its worker, before it is sent. */
  open(): void {
    const { pending, earlier } = this.#vitals.startSent();
    this.#pending = pending;
    this.#earlier = earlier;
  }

  /** The whole start was sent, in one message. */
  sent(now: number): void {
    this.#wait(this.#settings.acceptMs, now);
  }

  /** The whole start was sent, in parts. */
  sentInParts(now: number): void {
    this.#inParts = true;
    this.#wait(this.#settings.acceptMs + this.#settings.partsMs, now);
  }

  /** A frame of the attempt arrived. */
  frameReceived(now: number): void {
    this.#vitals.seen(now);
    if (this.#pending) this.#pending.isAnswered = true;
  }

  /** Restarts the time for the answer. */
  restart(now: number): void {
    if (this.#answerMs !== null) this.#sentAt = now;
  }

  /** The answer is not awaited any more. May be repeated. */
  close(): void {
    this.#answerMs = null;
    if (this.#pending) this.#vitals.unanswered -= 1;
    this.#pending = null;
  }

  /** @param provenSince when the newest ping was sent that the NATS server has answered */
  judge(now: number, provenSince: number): AnswerVerdict {
    if (this.#answerMs === null || now <= this.#sentAt + this.#answerMs) return 'well';
    if (provenSince < this.#sentAt) return 'prove';
    const state = this.#workerStateSinceSent(now);
    const probe = this.#probeFor(state, now);
    if (probe !== null) return probe;
    if (state === 'alive') return 'late';
    this.#vitals.startTimedOut();
    return this.#earlier?.isAnswered === false ? 'earlier_start' : 'this_start';
  }

  #wait(ms: number, now: number): void {
    this.#sentAt = now;
    this.#answerMs = ms;
  }

  /** Probes the worker once where its silence proves nothing. @returns null where no probe is needed, or it has had its time */
  #probeFor(state: 'alive' | 'unsure' | 'silent', now: number): 'probe' | 'well' | null {
    // A worker that got no part at all is silent too, and was not silenced by this start.
    const mayBeUnreached = state === 'silent' && this.#inParts;
    if (state !== 'unsure' && !mayBeUnreached) return null;
    if (this.#probedAt === NEVER) {
      this.#probedAt = now;
      return 'probe';
    }
    return state === 'unsure' || now - this.#probedAt < this.#settings.probeMs ? 'well' : null;
  }

  /** A message after the start may have been sent before the worker reached it, so only a recent one shows that it is alive. */
  #workerStateSinceSent(now: number): 'alive' | 'unsure' | 'silent' {
    const { probeMs, acceptMs } = this.#settings;
    const { lastSeenAt } = this.#vitals;
    if (lastSeenAt <= this.#sentAt || now - lastSeenAt > acceptMs) return 'silent';
    return now - lastSeenAt > probeMs ? 'unsure' : 'alive';
  }
}
