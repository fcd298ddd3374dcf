import { agentOfRunner, type Heartbeat, type Incarnation } from '@slipway/contracts';
import type { ReplicaState } from '../observability/deployment-metrics.js';
import { hashText } from './choose-worker.js';
import { StartWindow } from './start-window.js';

const FAILURES_TO_OPEN = 5;
const OPEN_MS = 5_000;

/** Circuit breaker of one worker: five failed starts in a row open it for 5 s, then one trial start decides. */
export class Breaker {
  #failures = 0;
  #openUntil = 0;
  #trial = false;

  /** True when a start may be sent now. */
  allows(now: number): boolean {
    return this.#failures < FAILURES_TO_OPEN || (now >= this.#openUntil && !this.#trial);
  }

  /** A start was sent. */
  started(): void {
    if (this.#failures >= FAILURES_TO_OPEN) this.#trial = true;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#trial = false;
  }

  failed(now: number): void {
    this.#failures += 1;
    this.#trial = false;
    this.#openUntil = now + OPEN_MS;
  }

  /** The start proved nothing about the worker: it was busy, or the client left. */
  undecided(): void {
    this.#trial = false;
  }
}

/** A runner is live for three heartbeat intervals after its last heartbeat, in milliseconds. */
const FRESH_MS = 3_000;
/** After this long a runner without streams of this gateway is removed, in milliseconds. */
const FORGET_MS = 30_000;

/** The agent of a runner. Runners of workers from before 2027 do not contain their agent's name. */
const agentNameOf = (wk: string): string => agentOfRunner(wk) ?? wk;

/** The state of a runner, as far as this gateway knows it. */
export class KnownWorker {
  readonly hash: number;
  readonly agent: string;
  readonly breaker = new Breaker();
  readonly starts = new StartWindow();
  /** Streams of this gateway on the runner. */
  inFlight = 0;
  /** Running and queued requests: the last report, corrected by this gateway's starts and ends since. */
  #load: number;
  #slots: number;
  #suspect = false;
  /** The next released attempt was refused, so it had no slot. */
  #refused = false;

  readonly wk: Incarnation;
  // Only the needed fields are kept, since a sender with a worker's credentials can forge many heartbeats.
  #rev: number;
  #state: Heartbeat['state'];
  #n: number;
  #embeds: boolean;

  constructor(
    heartbeat: Heartbeat,
    private seenAt: number,
  ) {
    this.wk = heartbeat.wk;
    this.hash = hashText(heartbeat.wk);
    this.agent = agentNameOf(heartbeat.wk);
    this.#rev = heartbeat.rev;
    this.#state = heartbeat.state;
    this.#n = heartbeat.n;
    this.#embeds = heartbeat.caps.includes('embed');
    this.#load = heartbeat.used + heartbeat.queued;
    this.#slots = heartbeat.slots;
  }

  get rev(): number {
    return this.#rev;
  }

  /** Whether it takes starts for embeddings, as its heartbeat says; older workers do not. */
  get embeds(): boolean {
    return this.#embeds;
  }

  get slots(): number {
    return this.#slots;
  }

  /** Slots that are taken, as far as this gateway knows. */
  get used(): number {
    return Math.min(this.#slots, Math.max(this.#load, this.inFlight));
  }

  /** Slots that a request may take now: none while too many starts are unanswered. */
  get free(): number {
    return this.starts.isFull ? 0 : this.#unused;
  }

  /** It has free slots, but answers starts too slowly to get more of them. */
  get isBehind(): boolean {
    return this.starts.isFull && this.#unused > 0;
  }

  /** Estimated free slots. This gateway's own streams always count. */
  get #unused(): number {
    return this.#slots - Math.max(this.#load, this.inFlight);
  }

  /** Applies a heartbeat, unless it is older than the last one. */
  report(heartbeat: Heartbeat, now: number): boolean {
    if (heartbeat.n < this.#n) return false;
    this.#rev = heartbeat.rev;
    this.#state = heartbeat.state;
    this.#n = heartbeat.n;
    this.#embeds = heartbeat.caps.includes('embed');
    this.seenAt = now;
    this.#load = heartbeat.used + heartbeat.queued;
    this.#slots = heartbeat.slots;
    this.#suspect = false;
    return true;
  }

  isLive(now: number): boolean {
    return this.stateAt(now) === 'ready';
  }

  /** Its state by the last heartbeat; `silent` for one that is not heard of any more, or does not answer. */
  stateAt(now: number): ReplicaState {
    return this.#suspect || now - this.seenAt > FRESH_MS ? 'silent' : this.#state;
  }

  isForgotten(now: number): boolean {
    return this.inFlight === 0 && now - this.seenAt > FORGET_MS;
  }

  started(): void {
    this.inFlight += 1;
    this.#load += 1;
    this.starts.opened();
    this.breaker.started();
  }

  /** A stream of this gateway ended: its slot counts as free until the next heartbeat. */
  released(): void {
    this.inFlight -= 1;
    if (!this.#refused) this.#load = Math.max(0, this.#load - 1);
    this.#refused = false;
  }

  /** The runner refused a start as full; its figures are newer than the last heartbeat. */
  isFull(used: number, slots: number): void {
    this.#load = Math.max(used, slots);
    this.#slots = slots;
    this.#refused = true;
  }

  /** The runner does not answer or is draining: it is not chosen until its next heartbeat. */
  suspect(): void {
    this.#suspect = true;
  }
}
