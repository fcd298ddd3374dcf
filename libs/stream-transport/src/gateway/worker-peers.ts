import type { Incarnation, StreamId } from '@slipway/contracts';
import { OpenSet } from '@slipway/platform';
import { Suspicion, type SuspicionSettings } from './suspicion.js';

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
  finished: AckEntry[];
}

export interface WorkerPeersOptions<S> {
  readonly settings: SuspicionSettings;
  /** Sends a control message with a reply subject, so that the server reports a missing subscriber. */
  readonly ask: (wk: Incarnation, json: string) => void;
  readonly died: (wk: Incarnation, streams: readonly S[]) => void;
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

  /** The worker answered. */
  answered(wk: Incarnation): void {
    this.#peers.get(wk)?.suspicion.clear();
  }

  /** The worker's subject has no subscriber. `linkSince` = when the gateway's connection last changed. */
  noResponders(wk: Incarnation, now: number, linkSince: number): void {
    const peer = this.#peers.get(wk);
    if (!peer || !peer.suspicion.noResponders(now, linkSince)) return;
    this.#peers.delete(wk);
    if (peer.streams.size > 0) this.#options.died(wk, [...peer.streams]);
  }

  /** Forgets suspicions after a reconnect or stall of this process. */
  clearSuspicions(): void {
    for (const { suspicion } of this.#peers.values()) suspicion.clear();
  }

  #acknowledge(wk: Incarnation, entries: readonly AckEntry[]): void {
    for (let from = 0; from < entries.length; from += ACK_ENTRIES) {
      this.#options.ask(wk, JSON.stringify({ k: 'ack', v: entries.slice(from, from + ACK_ENTRIES) }));
    }
  }

  #peer(wk: Incarnation): Peer<S> {
    let peer = this.#peers.get(wk);
    if (!peer) {
      peer = { streams: new OpenSet(), suspicion: new Suspicion(this.#options.settings), finished: [] };
      this.#peers.set(wk, peer);
    }
    return peer;
  }
}
