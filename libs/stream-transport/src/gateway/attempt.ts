import type { DataFrame, EndFrame, ErrorFrame, Frame, Incarnation, StreamId, Usage } from '@slipway/contracts';
import type { StreamRequest } from '../types.js';
import { AnswerWatch, SilenceWatch } from './answer-watch.js';
import { type ActiveAttempt, type AttemptHost, type AttemptOwner, LazyAbort, type Outcome } from './attempt-host.js';
import { FrameSequence } from './frame-sequence.js';

export interface AttemptPlace {
  readonly wk: Incarnation;
  readonly at: number;
  /** Frame subject. */
  readonly subject: string;
}

const NEVER = Number.NEGATIVE_INFINITY;

/** One start at one worker, from sending to end: orders its frames and detects when it is lost. */
export class Attempt implements ActiveAttempt {
  readonly st: StreamId;
  readonly at: number;
  readonly wk: Incarnation;
  readonly subject: string;
  #phase: 'starting' | 'accepted' | 'cancelling' | 'over' = 'starting';
  readonly #sequence = new FrameSequence();
  readonly #upload = new LazyAbort();
  readonly #answer: AnswerWatch;
  readonly #silence: SilenceWatch;
  #replayAskedAt = NEVER;
  #cancelledAt = NEVER;
  #cancelBy = 0;
  #cancelled: ((usage: Usage | null) => void) | null = null;

  readonly #host: AttemptHost;
  readonly #owner: AttemptOwner;

  constructor(host: AttemptHost, owner: AttemptOwner, st: StreamId, { wk, at, subject }: AttemptPlace) {
    this.#host = host;
    this.#owner = owner;
    this.#answer = new AnswerWatch(host.settings, host.vitals(wk));
    this.#silence = new SilenceWatch(host.settings);
    this.st = st;
    this.at = at;
    this.wk = wk;
    this.subject = subject;
  }

  /** Position of the next event wanted. */
  get next(): number {
    return this.#sequence.next;
  }

  /** Sends the start, and keeps no reference to the request. `deadlineMs` = time left to the first event. */
  send(request: StreamRequest, deadlineMs: number): void {
    this.#host.enter(this);
    this.#host.counters.starts += 1;
    this.#answer.open();
    const { wk, at, subject } = this;
    const sent = this.#host.starts.send(request, { wk, at, reply: subject, deadlineMs, upload: this.#upload });
    if (sent.kind === 'sent') this.#answer.sent(this.#host.now());
    else if (sent.kind === 'uploading') void this.#awaitUpload(sent.done);
    else this.#conclude({ kind: sent.kind === 'too_large' ? 'too_large' : 'unsent' });
  }

  /** A frame of this attempt; null = unreadable by this version, which still shows that the worker is alive. */
  frame(frame: Frame | null, now: number): void {
    this.#silence.frameReceived(now);
    this.#answer.frameReceived(now);
    if (!frame || this.#phase === 'over') return;
    if (this.#phase === 'cancelling') this.#frameAfterCancel(frame, now);
    else if (frame.k === 'rej') {
      if (this.#phase === 'starting' && frame.wk === this.wk) this.#conclude({ kind: 'rejected', frame });
    } else if (frame.k !== 'acc' || frame.wk === this.wk) this.#frameOfAccepted(frame, now);
  }

  /** A probe of the worker found no subscriber: concerns a start whose parts were sent before. */
  probeFailed(now: number): void {
    if (this.#answer.inParts) this.noResponders(now);
  }

  /** The start's subject has no subscriber. */
  noResponders(now: number): void {
    if (this.#phase === 'cancelling') this.#settleCancel(null);
    if (this.#phase !== 'starting') return;
    const { link, settings, moves } = this.#host;
    this.#conclude({ kind: 'absent', settling: now - link.since < settings.settleMs || moves(this.wk) });
  }

  /** The worker does not have the attempt. */
  gone(): void {
    if (this.#phase === 'accepted') this.#lost({ kind: 'gone' });
  }

  /** The worker is dead. */
  dead(): void {
    if (this.#phase === 'accepted') this.#lost({ kind: 'dead' });
  }

  /** Cancels the attempt. @returns the usage that the worker counted, or null when it did not report it within `cancelMs`. */
  cancel(why: string): Promise<Usage | null> {
    if (this.#phase === 'over') return Promise.resolve(null);
    const now = this.#host.now();
    this.#phase = 'cancelling';
    this.#cancelBy = now + this.#host.settings.cancelMs;
    this.#upload.abort();
    this.#host.part(this);
    this.#cancelAtWorker(why, now);
    return new Promise((resolve) => {
      this.#cancelled = resolve;
    });
  }

  /** Cancels the attempt without waiting; a `cancel` that waits resolves with null. */
  abandon(why: string): void {
    if (this.#phase === 'over') return;
    this.#cancelAtWorker(why, this.#host.now());
    this.#settleCancel(null);
  }

  /** `judge` = false while the gateway's own connection is down, so that a worker's silence proves nothing. */
  tick(now: number, judge: boolean): void {
    if (this.#phase === 'cancelling' && now > this.#cancelBy) this.#settleCancel(null);
    if (!judge) return;
    if (this.#phase === 'starting') this.#watchAnswer(now);
    if (this.#phase === 'accepted') this.#watchSilence(now);
  }

  /** Restarts all timeouts after a stall or reconnect of this process. */
  restartTimers(now: number): void {
    this.#silence.restart(now);
    this.#answer.restart(now);
  }

  /** The gateway's connection is back: asks the worker for the frames that were missed. */
  resync(now: number): void {
    if (this.#phase === 'cancelling') this.#cancelAtWorker('repeated', now);
    else if (this.#phase === 'accepted') this.#askReplay(now);
    else if (this.#phase === 'starting' && this.#answer.waits) this.#interrupted();
  }

  crash(err: unknown): void {
    this.#owner.crashed(err);
  }

  #frameOfAccepted(frame: Exclude<Frame, { k: 'rej' }>, now: number): void {
    if (this.#phase === 'starting') this.#accept();
    // The owner may have cancelled the attempt in `accepted`.
    if (this.#ended) return this.frame(frame, now);
    switch (frame.k) {
      case 'd':
        return this.#data(frame, now);
      case 'end':
        return this.#end(frame, now);
      case 'err':
        return this.#error(frame, now);
      case 'hb':
        if (frame.relaxed) this.#owner.relaxed(frame.relaxed);
        if (frame.q > this.#sequence.next) this.#missing(now);
        return undefined;
      case 'acc':
        return undefined;
    }
  }

  #data(frame: DataFrame, now: number): void {
    const taken = this.#sequence.take(frame.q, frame.e);
    if (taken === 'gap') {
      this.#host.counters.gaps += 1;
      this.#missing(now);
    } else if (taken === 'duplicate') this.#host.counters.duplicates += 1;
    else {
      this.#silence.progress();
      this.#owner.events(taken);
    }
  }

  #end(end: EndFrame, now: number): void {
    const verdict = this.#sequence.conclude(end);
    if (verdict === 'gap') {
      this.#missing(now);
      return;
    }
    if (verdict === 'corrupt') this.#host.counters.corrupt += 1;
    this.#host.finish(this);
    this.#conclude(verdict === 'corrupt' ? { kind: 'corrupt' } : { kind: 'end', end });
  }

  #error(frame: ErrorFrame, now: number): void {
    if (frame.q > this.#sequence.next) {
      this.#missing(now);
      return;
    }
    this.#host.finish(this);
    this.#conclude({ kind: 'error', frame });
  }

  #frameAfterCancel(frame: Frame, now: number): void {
    if (frame.k === 'end' || frame.k === 'err') {
      this.#host.finish(this);
      this.#settleCancel(frame.k === 'end' ? frame.usage : null);
    } else if (frame.k === 'rej') this.#settleCancel(null);
    else if (now - this.#cancelledAt >= this.#host.settings.repeatMs) this.#cancelAtWorker('repeated', now);
  }

  get #ended(): boolean {
    return this.#phase === 'cancelling' || this.#phase === 'over';
  }

  #accept(): void {
    this.#phase = 'accepted';
    this.#answer.close();
    this.#host.join(this);
    this.#owner.accepted(this);
  }

  async #awaitUpload(done: Promise<boolean>): Promise<void> {
    const complete = await done.catch(() => false);
    if (this.#phase !== 'starting') return;
    if (!complete) {
      this.#interrupted();
      return;
    }
    this.#answer.sentInParts(this.#host.now());
    // Parts that found no subscriber are lost without a report; the probe gets one.
    this.#host.probe(this.wk);
  }

  /** It is unknown how much of the start arrived: cancels it and lets the stream start again. */
  #interrupted(): void {
    this.#cancelAtWorker('interrupted', this.#host.now());
    this.#conclude({ kind: 'interrupted' });
  }

  #watchAnswer(now: number): void {
    const { link, probe, counters } = this.#host;
    const verdict = this.#answer.judge(now, link.provenSince);
    if (verdict === 'well') return;
    if (verdict === 'prove') link.prove();
    else if (verdict === 'probe') probe(this.wk);
    else {
      counters.acceptTimeouts += 1;
      this.#cancelAtWorker('not accepted', now);
      this.#conclude(verdict === 'late' ? { kind: 'late' } : { kind: 'silent', accepted: false, since: verdict });
    }
  }

  #watchSilence(now: number): void {
    const { link, probe } = this.#host;
    const verdict = this.#silence.judge(now, link.provenSince);
    if (verdict === 'lost') {
      this.#cancelAtWorker('silent', now);
      this.#lost({ kind: 'silent', accepted: true, since: 'this_start' });
    } else if (verdict !== 'well') link.prove();
    if (verdict !== 'ask') return;
    probe(this.wk);
    this.#askReplay(now);
  }

  #lost(outcome: Outcome): void {
    this.#host.counters.lostStreams += 1;
    this.#conclude(outcome);
  }

  #missing(now: number): void {
    this.#silence.gap(now);
    if (now - this.#replayAskedAt >= this.#host.settings.replayMs) this.#askReplay(now);
  }

  #askReplay(now: number): void {
    this.#replayAskedAt = now;
    this.#host.counters.replays += 1;
    this.#host.control(this.wk, { k: 'replay', st: this.st, at: this.at, from: this.#sequence.next });
  }

  #cancelAtWorker(why: string, now: number): void {
    this.#cancelledAt = now;
    this.#host.control(this.wk, { k: 'cancel', st: this.st, at: this.at, why });
  }

  #settleCancel(usage: Usage | null): void {
    this.#leave();
    this.#cancelled?.(usage);
  }

  #conclude(outcome: Outcome): void {
    this.#leave();
    this.#owner.concluded(this, outcome);
  }

  #leave(): void {
    this.#phase = 'over';
    this.#answer.close();
    this.#upload.abort();
    this.#host.leave(this, this.#cancelledAt);
  }
}
