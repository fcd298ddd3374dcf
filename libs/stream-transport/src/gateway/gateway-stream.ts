import type { Incarnation, ServiceError, StreamEvent, Usage } from '@slipway/contracts';
import type { OpenStream, Refusal, StreamRequest, StreamSink, WorkerChooser } from '../types.js';
import { type ActiveAttempt, type AttemptHost, type AttemptOwner, LazyAbort, type Outcome } from './attempt-host.js';
import { Attempt } from './attempt.js';
import { asServiceError, notReachable, refusalOf, RetryPolicy, tooSlow, workerLost } from './retry-policy.js';

/** What a stream needs from its receiver. */
export interface GatewayStreamHost extends AttemptHost {
  readonly frameSubject: (request: StreamRequest, at: number) => string;
  readonly closed: (stream: GatewayStream) => void;
  /** A sink or chooser threw after its stream had ended. */
  readonly ownerFailed: (err: unknown) => void;
}

export interface GatewayStreamOptions {
  readonly host: GatewayStreamHost;
  readonly request: StreamRequest;
  readonly chooser: WorkerChooser;
  readonly sink: StreamSink;
}

/** One client request at its gateway: tries workers until one answers, then relays that answer. */
export class GatewayStream implements OpenStream, AttemptOwner {
  readonly #host: GatewayStreamHost;
  readonly #policy: RetryPolicy;
  readonly #excluded = new Set<Incarnation>();
  readonly #seeking = new LazyAbort();
  readonly #firstBy: number;
  #attempt: Attempt | null = null;
  #attempts = 0;
  #pausedUntil: number | null = null;
  #over = false;
  #lastError: ServiceError | null = null;
  #cancelling: Promise<Usage | null> | null = null;

  readonly #chooser: WorkerChooser;
  readonly #sink: StreamSink;
  /** Null once an event was delivered: then the stream never starts again, and the request may be megabytes. */
  #request: StreamRequest | null;

  constructor({ host, request, chooser, sink }: GatewayStreamOptions) {
    this.#host = host;
    this.#request = request;
    this.#chooser = chooser;
    this.#sink = sink;
    this.#policy = new RetryPolicy(this.#host.settings);
    this.#firstBy = this.#host.now() + this.#host.settings.firstTokenMs;
  }

  begin(): void {
    void this.#seek();
  }

  cancel(why: string): Promise<Usage | null> {
    this.#cancelling ??= this.#endForClient(why);
    return this.#cancelling;
  }

  /** Ends the stream with an error, in whatever phase it is. */
  fail(error: ServiceError): void {
    if (this.#over) return;
    this.#host.counters.failed += 1;
    const attempt = this.#attempt;
    attempt?.abandon(error.code);
    this.#close();
    if (attempt) this.#release(attempt.wk);
    try {
      this.#sink.error(error);
    } catch (err) {
      this.#host.ownerFailed(err);
    }
  }

  tick(now: number, judge: boolean): void {
    this.#attempt?.tick(now, judge);
    if (this.#over) return;
    if (!this.#delivered && now > this.#firstBy) this.fail(tooSlow());
    else if (this.#pausedUntil !== null && now >= this.#pausedUntil) {
      this.#pausedUntil = null;
      void this.#seek();
    }
  }

  /** Ends the stream at once because the receiver stops. */
  stop(error: ServiceError): void {
    if (this.#over) this.#attempt?.abandon(error.code);
    else this.fail(error);
  }

  /** The gateway's connection was down for longer than the workers' lease. */
  cutOff(): void {
    this.fail(this.#delivered ? workerLost() : notReachable());
  }

  restartTimers(now: number): void {
    this.#attempt?.restartTimers(now);
  }

  resync(now: number): void {
    this.#attempt?.resync(now);
  }

  accepted(attempt: ActiveAttempt): void {
    this.#sink.accepted(attempt.wk, attempt.at);
  }

  relaxed(places: readonly string[]): void {
    this.#sink.relaxed?.(places);
  }

  events(events: readonly StreamEvent[]): void {
    this.#request = null;
    this.#sink.events(events);
  }

  concluded(attempt: ActiveAttempt, outcome: Outcome): void {
    this.#attempt = null;
    this.#release(attempt.wk, refusalOf(outcome));
    if (outcome.kind === 'rejected') this.#host.counters.rejected += 1;
    const decision = this.#policy.decide(outcome, this.#delivered);
    if (decision.kind === 'fail') this.fail(decision.error);
    else if (decision.kind === 'again') {
      if (decision.error) this.#host.counters.restarts += 1;
      if (decision.exclude) this.#excluded.add(attempt.wk);
      this.#lastError = decision.error ?? this.#lastError;
      this.#seekAgain(decision.pauseMs);
    } else if (outcome.kind === 'end') {
      this.#host.counters.completed += 1;
      this.#close();
      this.#sink.end(outcome.end);
    }
  }

  crashed(err: unknown): void {
    this.fail(asServiceError(err));
  }

  #seekAgain(pauseMs: number): void {
    if (pauseMs === 0) void this.#seek();
    else this.#pausedUntil = this.#host.now() + pauseMs;
  }

  async #seek(): Promise<void> {
    let wk: Incarnation;
    try {
      wk = await this.#chooser.choose(this.#excluded, this.#seeking);
    } catch (err) {
      // The error of the failed worker is more specific than "no other worker".
      this.fail(this.#lastError ?? asServiceError(err));
      return;
    }
    await this.#host.link.whenUp(this.#seeking);
    if (this.#over) this.#release(wk);
    else this.#startAt(wk);
  }

  #startAt(wk: Incarnation): void {
    this.#attempts += 1;
    const at = this.#attempts;
    try {
      const request = this.#request;
      if (!request) throw new Error('A stream cannot start again after its first event.');
      this.#attempt = new Attempt(this.#host, this, request.st, { wk, at, subject: this.#host.frameSubject(request, at) });
      this.#attempt.send(request, this.#firstBy - this.#host.now());
    } catch (err) {
      this.crashed(err);
    }
  }

  #release(wk: Incarnation, refusal: Refusal | null = null): void {
    try {
      if (refusal) this.#chooser.refused(wk, refusal);
      this.#chooser.released(wk);
    } catch (err) {
      this.#host.ownerFailed(err);
    }
  }

  async #endForClient(why: string): Promise<Usage | null> {
    if (this.#over) return null;
    this.#host.counters.cancelled += 1;
    this.#over = true;
    this.#seeking.abort();
    const attempt = this.#attempt;
    const usage = attempt ? await attempt.cancel(why) : null;
    this.#attempt = null;
    this.#host.closed(this);
    if (attempt) this.#release(attempt.wk);
    return usage;
  }

  get #delivered(): boolean {
    return this.#request === null;
  }

  #close(): void {
    this.#over = true;
    this.#attempt = null;
    this.#seeking.abort();
    this.#host.closed(this);
  }
}
