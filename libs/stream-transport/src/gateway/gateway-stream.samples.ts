import {
  type ControlMessage,
  EMPTY_SUM,
  type EndFrame,
  type Frame,
  type Incarnation,
  type ServiceError,
  type StreamEvent,
  addToSum,
} from '@slipway/contracts';
import { DEFAULT_STREAM_SETTINGS } from '../stream-settings.js';
import type { Refusal, StreamRequest, StreamSink, WorkerChooser } from '../types.js';
import type { ActiveAttempt } from './attempt-host.js';
import { VitalsTable } from './worker-peers.js';
import { GatewayStream, type GatewayStreamHost } from './gateway-stream.js';
import { newReceiverCounters } from './receiver-counters.js';

const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
export const data = (q: number, ...texts: string[]): Frame => ({ k: 'd', q, e: texts.map(text) });
export const end = (texts: readonly string[], fin: EndFrame['fin'] = 'done'): EndFrame => ({
  k: 'end',
  q: texts.length,
  fin,
  usage: { prompt: 1, cached: 0, completion: texts.length },
  sum: texts.map(text).reduce(addToSum, EMPTY_SUM),
  tm: { queue: 0, prefill: 0, total: 0 },
});
export const accept = (wk: Incarnation): Frame => ({ k: 'acc', wk, rev: 1, fp: 'f', lease_ms: 10_000 });

export const request = {
  st: 's',
  dep: 1,
  rev: 1,
  api: 'chat',
  req: { messages: [], sampling: {}, stop: [] },
  account: 1,
  key: 1,
} as unknown as StreamRequest;

/** A stream on a receiver that only records its calls, with workers w1, w2, … chosen one after the other. */
export class Bench {
  now = 10_000;
  readonly received: string[] = [];
  readonly chosen: { excluded: string[]; wk: string }[] = [];
  readonly released: string[] = [];
  readonly refused: [string, Refusal['kind']][] = [];
  readonly controls: ControlMessage[] = [];
  readonly joined = new Set<number>();
  readonly finished: number[] = [];
  readonly counters = newReceiverCounters();
  readonly live = new Map<number, ActiveAttempt>();
  readonly link = {
    since: Number.NEGATIVE_INFINITY,
    provenSince: Number.POSITIVE_INFINITY,
    prove: () => undefined,
    whenUp: () => Promise.resolve(),
  };
  closed = 0;
  readonly vitals = new VitalsTable();
  /** Whether its workers are on their way to another NATS server. */
  moves = false;
  readonly stream: GatewayStream;

  constructor(change: { sink?: Partial<StreamSink>; choose?: WorkerChooser['choose']; request?: StreamRequest } = {}) {
    const sink: StreamSink = {
      relaxed: (places) => this.received.push(`relaxed ${places.join()}`),
      accepted: (wk, attempt) => this.received.push(`accepted ${wk} ${attempt}`),
      events: (events) => this.received.push(events.map((event) => (event.k === 'text' ? event.x : event.k)).join('')),
      end: () => this.received.push('end'),
      error: (error: ServiceError) => this.received.push(`error ${error.code}`),
      ...change.sink,
    };
    const chooser: WorkerChooser = {
      choose: change.choose ?? ((excluded) => Promise.resolve(this.#choose(excluded))),
      released: (wk) => this.released.push(wk),
      refused: (wk, { kind }) => this.refused.push([wk, kind]),
    };
    this.stream = new GatewayStream({ host: this.#host(), request: change.request ?? request, chooser, sink });
  }

  /** Lets the stream choose and send until nothing moves any more. */
  settle = (): Promise<void> => new Promise(setImmediate);

  async begin(): Promise<ActiveAttempt> {
    this.stream.begin();
    await this.settle();
    return this.attempt(1);
  }

  attempt(at: number): ActiveAttempt {
    const attempt = this.live.get(at);
    if (!attempt) throw new Error(`There is no attempt ${at}.`);
    return attempt;
  }

  send(at: number, ...frames: Frame[]): void {
    for (const frame of frames) this.attempt(at).frame(frame, this.now);
  }

  wait(ms: number): void {
    for (let passed = 0; passed < ms; passed += 50) {
      this.now += 50;
      this.stream.tick(this.now, true);
    }
  }

  #choose(excluded: ReadonlySet<Incarnation>): Incarnation {
    const wk = `w${this.chosen.length + 1}` as Incarnation;
    this.chosen.push({ excluded: [...excluded], wk });
    return wk;
  }

  #host(): GatewayStreamHost {
    return {
      gw: 'g' as Incarnation,
      settings: DEFAULT_STREAM_SETTINGS,
      counters: this.counters,
      link: this.link,
      starts: { send: () => ({ kind: 'sent' }) },
      now: () => this.now,
      moves: () => this.moves,
      vitals: (wk) => this.vitals.of(wk),
      enter: (attempt) => this.live.set(attempt.at, attempt),
      join: (attempt) => this.joined.add(attempt.at),
      part: (attempt) => this.joined.delete(attempt.at),
      leave: (attempt) => this.joined.delete(attempt.at),
      finish: (attempt) => this.finished.push(attempt.at),
      control: (_, message) => this.controls.push(message),
      probe: () => undefined,
      frameSubject: (_, at) => `frames.s.${at}`,
      closed: () => (this.closed += 1),
      ownerFailed: () => undefined,
    };
  }
}
