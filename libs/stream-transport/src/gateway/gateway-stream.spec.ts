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
import { describe, expect, it } from 'vitest';
import { DEFAULT_STREAM_SETTINGS } from '../stream-settings.js';
import type { Refusal, StreamRequest, StreamSink, WorkerChooser } from '../types.js';
import type { AttemptLine } from './attempt-host.js';
import { VitalsTable } from './worker-vitals.js';
import { GatewayStream, type GatewayStreamHost } from './gateway-stream.js';
import { newReceiverCounters } from './receiver-counters.js';

const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
const data = (q: number, ...texts: string[]): Frame => ({ k: 'd', q, e: texts.map(text) });
const end = (texts: readonly string[], fin: EndFrame['fin'] = 'done'): EndFrame => ({
  k: 'end',
  q: texts.length,
  fin,
  usage: { prompt: 1, cached: 0, completion: texts.length },
  sum: texts.map(text).reduce(addToSum, EMPTY_SUM),
  tm: { queue: 0, prefill: 0, total: 0 },
});
const accept = (wk: Incarnation): Frame => ({ k: 'acc', wk, rev: 1, fp: 'f', lease_ms: 10_000 });

const request = {
  st: 's',
  dep: 1,
  rev: 1,
  api: 'chat',
  req: { messages: [], sampling: {}, stop: [] },
  caps: [],
  account: 1,
  key: 1,
} as unknown as StreamRequest;

/** A stream on a receiver that only writes down what it is told, with workers w1, w2, … chosen one after the other. */
class Bench {
  now = 10_000;
  readonly told: string[] = [];
  readonly chosen: { excluded: string[]; wk: string }[] = [];
  readonly released: string[] = [];
  readonly refused: [string, Refusal['kind']][] = [];
  readonly controls: ControlMessage[] = [];
  readonly joined = new Set<number>();
  readonly finished: number[] = [];
  readonly counters = newReceiverCounters();
  readonly live = new Map<number, AttemptLine>();
  readonly link = {
    since: Number.NEGATIVE_INFINITY,
    provenSince: Number.POSITIVE_INFINITY,
    prove: () => undefined,
    whenUp: () => Promise.resolve(),
  };
  closed = 0;
  readonly vitals = new VitalsTable();
  readonly stream: GatewayStream;

  constructor(change: { sink?: Partial<StreamSink>; choose?: WorkerChooser['choose'] } = {}) {
    const sink: StreamSink = {
      accepted: (wk, attempt) => this.told.push(`accepted ${wk} ${attempt}`),
      events: (events) => this.told.push(events.map((event) => (event.k === 'text' ? event.x : event.k)).join('')),
      end: () => this.told.push('end'),
      error: (error: ServiceError) => this.told.push(`error ${error.code}`),
      ...change.sink,
    };
    const chooser: WorkerChooser = {
      choose: change.choose ?? ((excluded) => Promise.resolve(this.choose(excluded))),
      released: (wk) => this.released.push(wk),
      refused: (wk, { kind }) => this.refused.push([wk, kind]),
    };
    this.stream = new GatewayStream({ host: this.host(), request, chooser, sink });
  }

  /** Lets the stream choose and send until nothing moves any more. */
  settle = (): Promise<void> => new Promise(setImmediate);

  async begin(): Promise<AttemptLine> {
    this.stream.begin();
    await this.settle();
    return this.attempt(1);
  }

  attempt(at: number): AttemptLine {
    return this.live.get(at)!;
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

  private choose(excluded: ReadonlySet<Incarnation>): Incarnation {
    const wk = `w${this.chosen.length + 1}` as Incarnation;
    this.chosen.push({ excluded: [...excluded], wk });
    return wk;
  }

  private host(): GatewayStreamHost {
    return {
      gw: 'g' as Incarnation,
      settings: DEFAULT_STREAM_SETTINGS,
      counters: this.counters,
      link: this.link,
      starts: { send: () => ({ kind: 'sent' }) },
      now: () => this.now,
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
const [w1, w2] = ['w1', 'w2'] as unknown as [Incarnation, Incarnation];

describe('a stream at its gateway', () => {
  it('tells its sink of the worker, of every event once, and of the end', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), data(0, 'a'), data(0, 'a', 'b'), data(1, 'b', 'c'), end(['a', 'b', 'c']));
    bench.send(1, data(3, 'x'), end(['a', 'b', 'c']));
    expect(bench.told).toEqual(['accepted w1 1', 'a', 'b', 'c', 'end']);
    expect([bench.finished, bench.released, bench.closed]).toEqual([[1], ['w1'], 1]);
  });

  it('asks for what is missing, at most each 30 ms, and ends when it came', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), data(0, 'a'), data(2, 'c'), data(3, 'd'), end(['a', 'b', 'c', 'd']));
    expect(bench.controls).toEqual([{ k: 'replay', st: 's', at: 1, from: 1 }]);
    bench.now += 30;
    bench.send(1, { k: 'hb', q: 4, ph: 'decode' });
    expect(bench.controls).toHaveLength(2);
    bench.send(1, data(1, 'b', 'c', 'd'), end(['a', 'b', 'c', 'd']));
    expect(bench.told).toEqual(['accepted w1 1', 'a', 'bcd', 'end']);
  });

  it('takes a frame as acceptance when the accept was lost, but not the accept of another worker', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w2));
    expect(bench.told).toEqual([]);
    bench.send(1, { k: 'hb', q: 0, ph: 'prefill' });
    expect(bench.told).toEqual(['accepted w1 1']);
  });

  it('is acknowledged only while it is accepted', async () => {
    const bench = new Bench();
    await bench.begin();
    expect([...bench.joined]).toEqual([]);
    bench.send(1, accept(w1));
    expect([...bench.joined]).toEqual([1]);
    void bench.stream.cancel('client');
    expect([...bench.joined]).toEqual([]);
  });

  it('never goes to a second worker when the first has said nothing since it got the start', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.wait(1_050);
    await bench.settle();
    expect(bench.controls).toEqual([{ k: 'cancel', st: 's', at: 1, why: 'not accepted' }]);
    expect(bench.refused).toEqual([['w1', 'silent']]);
    expect(bench.chosen).toHaveLength(1);
    expect(bench.told).toEqual(['error deployment_unavailable']);
  });

  it('never goes to a second worker when the first accepted it and then fell silent', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1));
    bench.wait(4_000);
    await bench.settle();
    expect(bench.chosen).toHaveLength(1);
    expect(bench.told).toEqual(['accepted w1 1', 'error worker_lost']);
  });

  it('goes to the next worker, with a higher attempt, when the first was silent before it got the start', async () => {
    const bench = new Bench();
    bench.vitals.of(w1).fellSilent();
    await bench.begin();
    bench.wait(1_050);
    await bench.settle();
    expect(bench.controls).toEqual([{ k: 'cancel', st: 's', at: 1, why: 'not accepted' }]);
    expect(bench.chosen).toEqual([
      { excluded: [], wk: 'w1' },
      { excluded: ['w1'], wk: 'w2' },
    ]);
    bench.attempt(1).frame(data(0, 'old'), bench.now);
    bench.send(2, accept(w2), data(0, 'new'), end(['new']));
    expect(bench.told).toEqual(['accepted w2 2', 'new', 'end']);
    expect(bench.released).toEqual(['w1', 'w2']);
  });

  it('goes to one more worker when the first lives and is late, and then says that they are busy', async () => {
    const bench = new Bench();
    await bench.begin();
    for (const wk of [w1, w2]) {
      bench.wait(500);
      bench.vitals.of(wk).heard(bench.now);
      bench.wait(550);
      await bench.settle();
    }
    expect(bench.chosen).toHaveLength(2);
    expect(bench.refused).toEqual([]);
    expect(bench.told).toEqual(['error overloaded']);
  });

  it('blames no worker for an accept that stays away while the own server does not answer', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.link.provenSince = 0;
    bench.wait(3_000);
    expect(bench.refused).toEqual([]);
  });

  it('starts elsewhere when its worker is gone before the first event, and fails after it', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1));
    bench.attempt(1).gone();
    await bench.settle();
    bench.send(2, accept(w2), data(0, 'a'));
    bench.attempt(2).dead();
    expect(bench.told).toEqual(['accepted w1 1', 'accepted w2 2', 'a', 'error worker_lost']);
    expect([bench.released, bench.closed]).toEqual([['w1', 'w2'], 1]);
  });

  it('ignores "gone" before it was accepted', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.attempt(1).gone();
    bench.send(1, accept(w1), data(0, 'a'), end(['a']));
    expect(bench.told).toEqual(['accepted w1 1', 'a', 'end']);
  });

  it('starts anew, blaming nobody, when the connection broke while the start was on its way', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.stream.resync(bench.now);
    await bench.settle();
    expect(bench.controls).toEqual([{ k: 'cancel', st: 's', at: 1, why: 'interrupted' }]);
    expect([bench.refused, bench.chosen[1]?.excluded, [...bench.live.keys()]]).toEqual([[], [], [1, 2]]);
  });

  it('ends with an error when the checksum does not fit', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), data(0, 'a'), end(['b']));
    expect(bench.told).toEqual(['accepted w1 1', 'a', 'error engine_error']);
    expect(bench.counters.corrupt).toBe(1);
  });

  it('ends with timeout when nothing came for 600 s, in whatever phase it is', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1));
    bench.now += 600_000;
    bench.attempt(1).frame({ k: 'hb', q: 0, ph: 'prefill' }, bench.now);
    bench.wait(50);
    const waiting = new Bench({ choose: () => new Promise(() => undefined) });
    waiting.stream.begin();
    waiting.now += 600_000;
    waiting.wait(50);
    expect([bench.told.at(-1), waiting.told.at(-1)]).toEqual(['error timeout', 'error timeout']);
    expect(bench.controls.at(-1)).toMatchObject({ k: 'cancel', at: 1 });
  });

  it('ends with what the chooser says when there is no worker, but tells an earlier failure first', async () => {
    let failed: (error: Error) => void = () => undefined;
    let calls = 0;
    const bench = new Bench({ choose: () => (calls++ === 0 ? Promise.resolve(w1) : new Promise((_, reject) => (failed = reject))) });
    await bench.begin();
    bench.send(1, accept(w1), { k: 'err', q: 0, code: 'engine_error', msg: 'x', retry: 'other' });
    await bench.settle();
    failed(new Error('none'));
    await bench.settle();
    expect(bench.told).toEqual(['accepted w1 1', 'error engine_error']);
  });

  it('is ended by a sink that throws, and the worker is told', async () => {
    const bench = new Bench({
      sink: {
        events: () => {
          throw new Error('sink');
        },
      },
    });
    const attempt = await bench.begin();
    expect(() => bench.send(1, accept(w1), data(0, 'a'))).toThrow('sink');
    attempt.crash(new Error('sink'));
    expect(bench.told).toEqual(['accepted w1 1', 'error internal']);
    expect(bench.controls.at(-1)).toMatchObject({ k: 'cancel', at: 1 });
  });
});

describe('cancelling a stream', () => {
  it('while it waits for a worker gives back the worker that comes too late', async () => {
    let give: (wk: Incarnation) => void = () => undefined;
    const bench = new Bench({ choose: () => new Promise((resolve) => (give = resolve)) });
    bench.stream.begin();
    expect(await bench.stream.cancel('client')).toBeNull();
    give(w1);
    await bench.settle();
    expect([bench.released, bench.live.size, bench.told]).toEqual([['w1'], 0, []]);
  });

  it('brings what the worker counted, and the sink hears nothing more', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), data(0, 'a'));
    const usage = bench.stream.cancel('client');
    bench.send(1, data(1, 'b'), end(['a', 'b'], 'cancelled'));
    expect(await usage).toMatchObject({ completion: 2 });
    expect([bench.told, bench.finished, bench.released]).toEqual([['accepted w1 1', 'a'], [1], ['w1']]);
    expect(await bench.stream.cancel('again')).toMatchObject({ completion: 2 });
  });

  it('gives up after a second, and repeats itself to a worker that goes on', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1));
    const usage = bench.stream.cancel('client');
    for (let i = 0; i < 8; i += 1) {
      bench.wait(100);
      bench.send(1, data(i, 'x'));
    }
    expect(bench.controls.filter(({ k }) => k === 'cancel')).toHaveLength(3);
    bench.wait(300);
    expect(await usage).toBeNull();
    expect(bench.closed).toBe(1);
  });

  it('before the accept reaches the worker too', async () => {
    const bench = new Bench();
    await bench.begin();
    const usage = bench.stream.cancel('client');
    expect(bench.controls).toEqual([{ k: 'cancel', st: 's', at: 1, why: 'client' }]);
    bench.attempt(1).nobodyServes(bench.now);
    expect(await usage).toBeNull();
    expect(bench.chosen).toHaveLength(1);
  });

  it('after the end is harmless', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), data(0, 'a'), end(['a']));
    expect(await bench.stream.cancel('client')).toBeNull();
    expect(bench.controls).toEqual([]);
  });
});
