import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Incarnation } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { accept, Bench, data, end, request } from './gateway-stream.samples.js';

const [w1, w2] = ['w1', 'w2'] as unknown as [Incarnation, Incarnation];

/** A stream, and whether anything still holds its request. */
async function begunStream(): Promise<{ bench: Bench; isKept: () => Promise<boolean> }> {
  const own = { ...request };
  const kept = new WeakRef(own);
  const bench = new Bench({ request: own });
  await bench.begin();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const isKept = async (): Promise<boolean> => {
    // A turn of its own: what a turn has seen of a reference stays until it ends.
    await bench.settle();
    collect();
    return kept.deref() !== undefined;
  };
  return { bench, isKept };
}

describe('a stream at its gateway', () => {
  it('keeps its request until the first event', async () => {
    const { bench, isKept } = await begunStream();
    bench.send(1, accept(w1));
    expect(await isKept()).toBe(true);
    bench.send(1, data(0, 'a'));
    expect(await isKept()).toBe(false);
    bench.send(1, end(['a']));
    expect(bench.received.at(-1)).toBe('end');
  });

  it('delivers worker, every event once, and the end', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), data(0, 'a'), data(0, 'a', 'b'), data(1, 'b', 'c'), end(['a', 'b', 'c']));
    bench.send(1, data(3, 'x'), end(['a', 'b', 'c']));
    expect(bench.received).toEqual(['accepted w1 1', 'a', 'b', 'c', 'end']);
    expect([bench.finished, bench.released, bench.closed]).toEqual([[1], ['w1'], 1]);
  });

  it('requests missing events at most every 30 ms', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), data(0, 'a'), data(2, 'c'), data(3, 'd'), end(['a', 'b', 'c', 'd']));
    expect(bench.controls).toEqual([{ k: 'replay', st: 's', at: 1, from: 1 }]);
    bench.now += 30;
    bench.send(1, { k: 'hb', q: 4, ph: 'decode' });
    expect(bench.controls).toHaveLength(2);
    bench.send(1, data(1, 'b', 'c', 'd'), end(['a', 'b', 'c', 'd']));
    expect(bench.received).toEqual(['accepted w1 1', 'a', 'bcd', 'end']);
  });

  it('takes a first frame as acceptance of its worker', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w2));
    expect(bench.received).toEqual([]);
    bench.send(1, { k: 'hb', q: 0, ph: 'prefill' });
    expect(bench.received).toEqual(['accepted w1 1']);
  });

  it('is acknowledged only while accepted', async () => {
    const bench = new Bench();
    await bench.begin();
    expect([...bench.joined]).toEqual([]);
    bench.send(1, accept(w1));
    expect([...bench.joined]).toEqual([1]);
    void bench.stream.cancel('client');
    expect([...bench.joined]).toEqual([]);
  });

  it('tries no second worker after silence since the start', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.wait(1_050);
    await bench.settle();
    expect(bench.controls).toEqual([{ k: 'cancel', st: 's', at: 1, why: 'not accepted' }]);
    expect(bench.refused).toEqual([['w1', 'silent']]);
    expect(bench.chosen).toHaveLength(1);
    expect(bench.received).toEqual(['error deployment_unavailable']);
  });

  it('tries no second worker after an accepting one fell silent', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1));
    bench.wait(4_000);
    await bench.settle();
    expect(bench.chosen).toHaveLength(1);
    expect(bench.received).toEqual(['accepted w1 1', 'error worker_lost']);
  });

  it('tries no second worker after messages from before the start', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.wait(100);
    bench.vitals.of(w1).seen(bench.now);
    bench.wait(1_050);
    await bench.settle();
    expect(bench.chosen).toHaveLength(1);
    expect(bench.received).toEqual(['error deployment_unavailable']);
  });

  it('tries the next worker when one has no subscriber', async () => {
    const bench = new Bench();
    await bench.begin();
    for (const at of [1, 2, 3]) {
      bench.attempt(at).noResponders(bench.now);
      await bench.settle();
    }
    expect(bench.chosen.map(({ wk }) => wk)).toEqual(['w1', 'w2', 'w3', 'w4']);
    expect(bench.received).toEqual([]);
  });

  it('waits for a worker that moves between servers', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.moves = true;
    bench.attempt(1).noResponders(bench.now);
    bench.wait(100);
    await bench.settle();
    expect(bench.chosen.map(({ excluded }) => excluded)).toEqual([[], []]);
    expect([bench.refused, bench.received]).toEqual([[], []]);
  });

  it('tries the next worker when one was already silent', async () => {
    const bench = new Bench();
    bench.vitals.of(w1).startTimedOut();
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
    expect(bench.received).toEqual(['accepted w2 2', 'new', 'end']);
    expect(bench.released).toEqual(['w1', 'w2']);
  });

  it('tries one more worker after a late one', async () => {
    const bench = new Bench();
    await bench.begin();
    for (const wk of [w1, w2]) {
      bench.wait(700);
      bench.vitals.of(wk).seen(bench.now);
      bench.wait(350);
      await bench.settle();
    }
    expect(bench.chosen).toHaveLength(2);
    expect(bench.refused).toEqual([]);
    expect(bench.received).toEqual(['error overloaded']);
  });

  it('waits while the NATS server does not answer', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.link.provenSince = 0;
    bench.wait(3_000);
    expect(bench.refused).toEqual([]);
  });

  it('restarts before the first event and fails after it', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1));
    bench.attempt(1).gone();
    await bench.settle();
    bench.send(2, accept(w2), data(0, 'a'));
    bench.attempt(2).dead();
    expect(bench.received).toEqual(['accepted w1 1', 'accepted w2 2', 'a', 'error worker_lost']);
    expect([bench.released, bench.closed]).toEqual([['w1', 'w2'], 1]);
  });

  it('restarts after a relaxed notice, which is no event', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), { k: 'hb', q: 0, ph: 'prefill', relaxed: ['/not'] });
    bench.attempt(1).gone();
    await bench.settle();
    bench.send(2, accept(w2), data(0, 'a'));
    expect(bench.received).toEqual(['accepted w1 1', 'relaxed /not', 'accepted w2 2', 'a']);
  });

  it('ignores "gone" before acceptance', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.attempt(1).gone();
    bench.send(1, accept(w1), data(0, 'a'), end(['a']));
    expect(bench.received).toEqual(['accepted w1 1', 'a', 'end']);
  });

  it('restarts when the connection breaks during the start', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.stream.resync(bench.now);
    await bench.settle();
    expect(bench.controls).toEqual([{ k: 'cancel', st: 's', at: 1, why: 'interrupted' }]);
    expect([bench.refused, bench.chosen[1]?.excluded, [...bench.live.keys()]]).toEqual([[], [], [1, 2]]);
  });

  it('fails when the checksum does not match', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), data(0, 'a'), end(['b']));
    expect(bench.received).toEqual(['accepted w1 1', 'a', 'error engine_error']);
    expect(bench.counters.corrupt).toBe(1);
  });

  it('times out after 600 s in any phase', async () => {
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
    expect([bench.received.at(-1), waiting.received.at(-1)]).toEqual(['error timeout', 'error timeout']);
    expect(bench.controls.at(-1)).toMatchObject({ k: 'cancel', at: 1 });
  });

  it('fails with the earlier error before that of the chooser', async () => {
    let failed: (error: Error) => void = () => undefined;
    let calls = 0;
    const bench = new Bench({ choose: () => (calls++ === 0 ? Promise.resolve(w1) : new Promise((_, reject) => (failed = reject))) });
    await bench.begin();
    bench.send(1, accept(w1), { k: 'err', q: 0, code: 'engine_error', msg: 'x', retry: 'other' });
    await bench.settle();
    failed(new Error('none'));
    await bench.settle();
    expect(bench.received).toEqual(['accepted w1 1', 'error engine_error']);
  });

  it('ends and cancels when its sink throws', async () => {
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
    expect(bench.received).toEqual(['accepted w1 1', 'error internal']);
    expect(bench.controls.at(-1)).toMatchObject({ k: 'cancel', at: 1 });
  });
});

describe('cancelling a stream', () => {
  it('releases a worker that was chosen too late', async () => {
    let give: (wk: Incarnation) => void = () => undefined;
    const bench = new Bench({ choose: () => new Promise((resolve) => (give = resolve)) });
    bench.stream.begin();
    expect(await bench.stream.cancel('client')).toBeNull();
    give(w1);
    await bench.settle();
    expect([bench.released, bench.live.size, bench.received]).toEqual([['w1'], 0, []]);
  });

  it('returns the usage of the worker and silences the sink', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), data(0, 'a'));
    const usage = bench.stream.cancel('client');
    bench.send(1, data(1, 'b'), end(['a', 'b'], 'cancelled'));
    expect(await usage).toMatchObject({ completion: 2 });
    expect([bench.received, bench.finished, bench.released]).toEqual([['accepted w1 1', 'a'], [1], ['w1']]);
    expect(await bench.stream.cancel('again')).toMatchObject({ completion: 2 });
  });

  it('gives up after 1 s and repeats the cancel', async () => {
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

  it('reaches the worker before its accept', async () => {
    const bench = new Bench();
    await bench.begin();
    const usage = bench.stream.cancel('client');
    expect(bench.controls).toEqual([{ k: 'cancel', st: 's', at: 1, why: 'client' }]);
    bench.attempt(1).noResponders(bench.now);
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
