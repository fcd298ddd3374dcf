import type { Incarnation, StreamId } from '@slipway/contracts';
import { OpenSet } from '@slipway/platform';

interface SuspicionSettings {
  readonly suspicionMs: number;
  readonly settleMs: number;
}

/**
 * Decides when "no responders" (503 of the NATS server) means that a worker is dead. A single one may mean that the worker is
 * reconnecting, and shortly after the gateway's own reconnect none counts, since workers come back one by one.
 */
export class Suspicion {
  #firstAt: number | null = null;
  #asked = false;

  readonly #settings: SuspicionSettings;

  constructor(settings: SuspicionSettings) {
    this.#settings = settings;
  }

  /** Records a 503. `linkSince` = when the gateway's connection last changed. @returns true when the worker is dead. */
  noResponders(now: number, linkSince: number): boolean {
    if (now - linkSince < this.#settings.settleMs) {
      this.clear();
      return false;
    }
    if (this.#firstAt === null) {
      this.#firstAt = now;
      this.#asked = false;
      return false;
    }
    return now - this.#firstAt >= this.#settings.suspicionMs;
  }

  /** The worker answered, or the gateway's connection changed. */
  clear(): void {
    this.#firstAt = null;
  }

  /** True once for each suspicion, when the second probe is due. */
  probeDue(now: number): boolean {
    if (this.#firstAt === null || this.#asked || now - this.#firstAt < this.#settings.suspicionMs) return false;
    this.#asked = true;
    return true;
  }
}

/** Workers without traffic for this long are dropped from the table, in milliseconds. */
const FORGET_MS = 60_000;

/** A start that was sent. */
export interface PendingStart {
  /** Whether a frame of it has arrived. */
  isAnswered: boolean;
}

const NEVER_ANSWERED: Readonly<PendingStart> = { isAnswered: false };

/** When a worker last sent anything, and which starts it has not answered. Workers handle starts in order of arrival. */
export class WorkerVitals {
  /** When its last message arrived, by the monotonic clock. */
  lastSeenAt = Number.NEGATIVE_INFINITY;
  /** Starts neither accepted nor rejected. */
  unanswered = 0;
  /** The start that a silent worker did not answer; null = the worker is not silent. */
  #silentOn: Readonly<PendingStart> | null = null;
  #newest: PendingStart | null = null;

  /** Records a start. @returns it, and the unanswered start before it that the worker must handle first; null = none. */
  startSent(): { readonly pending: PendingStart; readonly earlier: Readonly<PendingStart> | null } {
    const earlier = this.unanswered > 0 ? this.#newest : this.#silentOn;
    this.unanswered += 1;
    this.#newest = { isAnswered: false };
    return { pending: this.#newest, earlier };
  }

  seen(now: number): void {
    this.lastSeenAt = now;
    this.#silentOn = null;
  }

  /** A start timed out and the worker sent nothing meanwhile. */
  startTimedOut(): void {
    this.#silentOn = NEVER_ANSWERED;
  }
}

/** The vitals of all workers that this gateway has sent starts to. */
export class VitalsTable {
  readonly #workers = new Map<Incarnation, WorkerVitals>();

  of(wk: Incarnation): WorkerVitals {
    let vitals = this.#workers.get(wk);
    if (!vitals) this.#workers.set(wk, (vitals = new WorkerVitals()));
    return vitals;
  }

  /** A message of the worker arrived that belongs to no stream. */
  seen(wk: Incarnation, now: number): void {
    this.#workers.get(wk)?.seen(now);
  }

  sweep(now: number): void {
    for (const [wk, { lastSeenAt, unanswered }] of this.#workers) {
      if (unanswered === 0 && now - lastSeenAt > FORGET_MS) this.#workers.delete(wk);
    }
  }
}

/** Streams in one acknowledgement at most, so that it stays far below NATS's message size. */
const ACK_ENTRIES = 4_096;

/** An accepted attempt as acknowledgements list it. */
export interface AcknowledgedStream {
  readonly st: StreamId;
  readonly at: number;
  readonly next: number;
}

type AckEntry = readonly [StreamId, number, number, 0 | 1];

interface Peer<S> {
  readonly streams: OpenSet<S>;
  readonly suspicion: Suspicion;
  /** It has said that it will connect to another NATS server. Until it answers from there, a missing subscriber proves nothing. */
  moves: boolean;
  finished: AckEntry[];
}

export interface WorkerPeersOptions<S> {
  readonly settings: SuspicionSettings;
  /** Sends a control message with a reply subject, so that the server reports a missing subscriber. */
  readonly ask: (wk: Incarnation, json: string) => void;
  readonly died: (wk: Incarnation, streams: readonly S[]) => void;
  /** Whether this process will connect to another NATS server, which workers must know. */
  readonly moving: () => boolean;
}

/** The workers with accepted streams of this gateway: sends their acknowledgements and detects dead workers. */
export class WorkerPeers<S extends AcknowledgedStream> {
  readonly #peers = new Map<Incarnation, Peer<S>>();

  readonly #options: WorkerPeersOptions<S>;

  constructor(options: WorkerPeersOptions<S>) {
    this.#options = options;
  }

  join(wk: Incarnation, stream: S): void {
    this.#peer(wk).streams.add(stream);
  }

  leave(wk: Incarnation, stream: S): void {
    this.#peers.get(wk)?.streams.delete(stream);
  }

  /** With the next acknowledgement the worker may drop the attempt. */
  finished(wk: Incarnation, attempt: AcknowledgedStream): void {
    this.#peer(wk).finished.push([attempt.st, attempt.at, attempt.next, 1]);
  }

  /** Acknowledges all streams, which renews their leases. */
  acknowledgeAll(): void {
    for (const [wk, peer] of this.#peers) {
      const entries: AckEntry[] = peer.finished;
      peer.finished = [];
      for (const { st, at, next } of peer.streams) entries.push([st, at, next, 0]);
      if (entries.length === 0) this.#peers.delete(wk);
      else this.#acknowledge(wk, entries);
    }
  }

  /** Probes suspected workers a second time; with `sendFinished`, also acknowledges finished attempts. */
  tick(now: number, sendFinished: boolean): void {
    for (const [wk, peer] of this.#peers) {
      if (sendFinished && peer.finished.length > 0) {
        this.#acknowledge(wk, peer.finished);
        peer.finished = [];
      }
      if (peer.suspicion.probeDue(now)) this.probe(wk);
    }
  }

  probe(wk: Incarnation): void {
    this.#options.ask(wk, '{"k":"probe"}');
  }

  /** The worker answered. @param moves whether it will connect to another NATS server */
  answered(wk: Incarnation, moves: boolean): void {
    const peer = this.#peers.get(wk);
    if (!peer) return;
    peer.suspicion.clear();
    peer.moves = moves;
  }

  /** Whether a worker with streams of this gateway is on its way to another NATS server. */
  moves(wk: Incarnation): boolean {
    return this.#peers.get(wk)?.moves === true;
  }

  /** The worker's subject has no subscriber. Of one that moves only silence shows that it is lost. `linkSince` = when the gateway's connection last changed. */
  noResponders(wk: Incarnation, now: number, linkSince: number): void {
    const peer = this.#peers.get(wk);
    if (!peer || peer.moves || !peer.suspicion.noResponders(now, linkSince)) return;
    this.#peers.delete(wk);
    if (peer.streams.size > 0) this.#options.died(wk, [...peer.streams]);
  }

  /** Forgets suspicions after a reconnect or stall of this process. */
  clearSuspicions(): void {
    for (const { suspicion } of this.#peers.values()) suspicion.clear();
  }

  #acknowledge(wk: Incarnation, entries: readonly AckEntry[]): void {
    const news = this.#options.moving() ? { moves: true } : {};
    for (let from = 0; from < entries.length; from += ACK_ENTRIES) {
      this.#options.ask(wk, JSON.stringify({ k: 'ack', v: entries.slice(from, from + ACK_ENTRIES), ...news }));
    }
  }

  #peer(wk: Incarnation): Peer<S> {
    let peer = this.#peers.get(wk);
    if (!peer) {
      peer = { streams: new OpenSet(), suspicion: new Suspicion(this.#options.settings), moves: false, finished: [] };
      this.#peers.set(wk, peer);
    }
    return peer;
  }
}
