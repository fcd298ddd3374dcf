import type { Incarnation } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { accept, Bench, data, end } from './gateway-stream.samples.js';

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

  it('never goes to a second worker when the first, which spoke before it came to the start, says nothing more', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.wait(100);
    bench.vitals.of(w1).heard(bench.now);
    bench.wait(1_050);
    await bench.settle();
    expect(bench.chosen).toHaveLength(1);
    expect(bench.told).toEqual(['error deployment_unavailable']);
  });

  it('goes to the next worker when nobody serves its start, as often as it takes', async () => {
    const bench = new Bench();
    await bench.begin();
    for (const at of [1, 2, 3]) {
      bench.attempt(at).nobodyServes(bench.now);
      await bench.settle();
    }
    expect(bench.chosen.map(({ wk }) => wk)).toEqual(['w1', 'w2', 'w3', 'w4']);
    expect(bench.told).toEqual([]);
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
      bench.wait(700);
      bench.vitals.of(wk).heard(bench.now);
      bench.wait(350);
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

  it('starts elsewhere too after its worker said what is relaxed, which is no event', async () => {
    const bench = new Bench();
    await bench.begin();
    bench.send(1, accept(w1), { k: 'hb', q: 0, ph: 'prefill', relaxed: ['/not'] });
    bench.attempt(1).gone();
    await bench.settle();
    bench.send(2, accept(w2), data(0, 'a'));
    expect(bench.told).toEqual(['accepted w1 1', 'relaxed /not', 'accepted w2 2', 'a']);
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
