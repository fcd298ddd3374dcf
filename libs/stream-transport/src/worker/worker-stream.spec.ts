import { type DataFrame, EMPTY_SUM, ServiceError, type StreamId, addToSum } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { Bench, result, text } from './worker-stream.samples.js';

describe('a stream at its worker', () => {
  it('numbers events and ends with their checksum', async () => {
    const bench = new Bench();
    const { writer, finish } = bench.open();
    writer.events([text('a')]);
    writer.events([]);
    writer.events([text('b'), text('c')]);
    await finish();
    expect((bench.frames('d') as DataFrame[]).map(({ q, e }) => [q, e.length])).toEqual([
      [0, 1],
      [1, 2],
    ]);
    const sum = [text('a'), text('b'), text('c')].reduce(addToSum, EMPTY_SUM);
    expect(bench.frames('end')).toEqual([{ k: 'end', q: 3, fin: 'done', usage: result.usage, sum, tm: result.times }]);
  });

  it('reports relaxed parts until the first event', async () => {
    const bench = new Bench();
    const { stream, writer, finish } = bench.open();
    writer.phase('prefill');
    writer.relaxed(['/not']);
    bench.wait(2_000, stream);
    writer.events([text('x')]);
    bench.wait(1_000, stream);
    await finish();
    const heartbeat = { k: 'hb', q: 0, ph: 'prefill', relaxed: ['/not'] };
    expect(bench.frames('hb')).toEqual([heartbeat, heartbeat, heartbeat, { k: 'hb', q: 1, ph: 'prefill' }]);
  });

  it('checks for its gateway every eighth data frame', async () => {
    const bench = new Bench();
    const { stream, writer, finish } = bench.open();
    for (let i = 0; i < 20; i += 1) writer.events([text('x')]);
    bench.wait(1_000, stream);
    await finish();
    const checked = bench.sent.map(({ frame, check }, i) => (check ? `${frame.k} ${i}` : null)).filter((entry) => entry !== null);
    expect(checked).toEqual(['d 7', 'd 15', 'hb 20', 'end 21']);
  });

  it('repeats its end every 300 ms until acknowledged', async () => {
    const bench = new Bench();
    const { stream, finish } = bench.open();
    await finish();
    bench.wait(950, stream);
    expect(bench.frames('end')).toHaveLength(4);
    expect(bench.ack([['s', 1, 0, 1]])).toEqual([]);
    bench.wait(900);
    expect([bench.frames('end').length, bench.table.size]).toEqual([4, 0]);
  });

  it('replays unacknowledged events and its end', async () => {
    const bench = new Bench();
    const { writer, finish } = bench.open();
    for (const x of 'abcd') writer.events([text(x)]);
    await finish();
    bench.ack([['s', 1, 2, 0]]);
    const before = bench.sent.length;
    bench.table.replay('s' as StreamId, 1, 0);
    expect(bench.sent.slice(before).map(({ frame }) => frame)).toMatchObject([
      { k: 'd', q: 2, e: [text('c'), text('d')] },
      { k: 'end', q: 4 },
    ]);
  });

  it('ends with the usage so far when cancelled', async () => {
    const bench = new Bench();
    const { writer, signal, finish } = bench.open();
    bench.table.cancel('s' as StreamId, 1);
    expect(signal.aborted).toBe(true);
    writer.events([text('too late')]);
    await finish();
    expect([bench.frames('d'), bench.frames('end')]).toMatchObject([[], [{ fin: 'cancelled', usage: result.usage }]]);
  });

  it('is ended by a cancel of a later attempt only', () => {
    const bench = new Bench();
    const { signal } = bench.open('s', 2);
    bench.table.cancel('s' as StreamId, 1);
    expect(signal.aborted).toBe(false);
    bench.table.cancel('s' as StreamId, 3);
    expect(signal.aborted).toBe(true);
    expect([bench.table.isPast('s' as StreamId, 3), bench.table.isPast('s' as StreamId, 4)]).toEqual([true, false]);
  });

  it('ends when a later attempt arrives', () => {
    const bench = new Bench();
    const { signal } = bench.open('s', 1);
    bench.open('s', 2);
    expect([signal.aborted, bench.table.size, bench.table.find('s' as StreamId, 1)]).toEqual([true, 1, undefined]);
  });

  it('sends errors with the retry advice of their code', async () => {
    const bench = new Bench();
    await bench.open('a').fail(new ServiceError('context_length_exceeded', 'Too long.', { param: 'messages', facts: { tokens: 9 } }));
    await bench.open('b').fail(new ServiceError('overloaded', 'Full.'));
    await bench.open('c').fail(new Error('secret of the engine'));
    expect(bench.frames('err')).toMatchObject([
      { code: 'context_length_exceeded', retry: 'no', param: 'messages', facts: { tokens: 9 } },
      { code: 'overloaded', retry: 'other' },
      { code: 'engine_error', retry: 'other', msg: expect.not.stringContaining('secret') as unknown },
    ]);
    expect(bench.settled).toBe(3);
  });

  it('returns a start that waited for a slot in vain', async () => {
    const bench = new Bench();
    await bench.open().finish('busy');
    expect(bench.frames('err')).toMatchObject([{ q: 0, code: 'overloaded', retry: 'other', waited: true }]);
    expect([bench.frames('end'), bench.settled]).toEqual([[], 1]);
  });

  it('splits large output and fails on an unsplittable event', async () => {
    const bench = new Bench();
    const { writer, signal, finish } = bench.open();
    writer.events(Array.from({ length: 30 }, () => text('x'.repeat(90))));
    expect((bench.frames('d') as DataFrame[]).length).toBeGreaterThan(3);
    expect((bench.frames('d') as DataFrame[]).reduce((sum, { e }) => sum + e.length, 0)).toBe(30);
    writer.events([{ k: 'call', i: 0, id: 'c', name: 'n'.repeat(2_000), n: 1 }]);
    expect(signal.aborted).toBe(true);
    await finish();
    expect([bench.frames('err'), bench.frames('end')]).toMatchObject([[{ code: 'engine_error', q: 30 }], []]);
  });

  it('fails when nothing is produced in time', async () => {
    const bench = new Bench();
    const { signal, finish } = bench.open('s', 1, { deadlineMs: 500 });
    bench.wait(550);
    expect(signal.aborted).toBe(true);
    await finish();
    expect(bench.frames('err')).toMatchObject([{ code: 'timeout' }]);
  });

  it('is stopped after 10 s without acknowledgement', () => {
    const bench = new Bench();
    const [named, forgotten] = [bench.open('named'), bench.open('forgotten')];
    for (let i = 0; i < 26; i += 1) {
      bench.wait(400);
      bench.ack([['named', 1, 0, 0]]);
    }
    expect([named.signal.aborted, forgotten.signal.aborted, bench.counters.leasesEnded]).toEqual([false, true, 1]);
  });

  it('keeps its lease just after a stall', () => {
    const bench = new Bench();
    const { signal } = bench.open();
    bench.now += 60_000;
    bench.table.tick(bench.now, false);
    expect(signal.aborted).toBe(false);
    bench.ack([['s', 1, 0, 0]]);
    bench.table.tick(bench.now + 50, true);
    expect(signal.aborted).toBe(false);
  });
});

describe('a stream whose answer is sent whole', () => {
  const open = (): Bench & { opened: ReturnType<Bench['open']> } => {
    const bench = new Bench();
    return Object.assign(bench, { opened: bench.open('s', 1, { whole: true }) });
  };
  const data = (bench: Bench): unknown[] => bench.frames('d').map((frame) => (frame as DataFrame).e);

  it('sends its first text at once and the rest together', async () => {
    const bench = open();
    const { writer, finish } = bench.opened;
    writer.events([{ k: 'start', prompt: 1 }]);
    for (const x of 'abcd') writer.events([text(x)]);
    expect(data(bench)).toEqual([[{ k: 'start', prompt: 1 }], [text('a')]]);
    await finish();
    expect(data(bench).slice(2)).toEqual([[{ k: 'text', x: 'bcd', n: 3 }]]);
    const sum = [text('abcd')].reduce(addToSum, EMPTY_SUM);
    expect(bench.frames('end')).toMatchObject([{ q: 3, sum }]);
  });

  it('sends what it holds in place of a heartbeat', () => {
    const bench = open();
    const { stream, writer } = bench.opened;
    for (const x of 'abc') writer.events([text(x)]);
    bench.wait(1_000, stream);
    expect([data(bench), bench.frames('hb')]).toEqual([[[text('a')], [{ k: 'text', x: 'bc', n: 2 }]], []]);
    expect(bench.sent.at(-1)?.check).toBe(true);
    bench.wait(1_000, stream);
    expect(bench.frames('hb')).toHaveLength(1);
  });

  it('sends much text without waiting', () => {
    const bench = open();
    bench.limit = 100_000;
    for (let i = 0; i < 9; i += 1) bench.opened.writer.events([text('x'.repeat(2_048))]);
    expect(data(bench)).toHaveLength(2);
  });

  it('sends what it holds before an error', async () => {
    const bench = open();
    for (const x of 'ab') bench.opened.writer.events([text(x)]);
    await bench.opened.fail(new ServiceError('overloaded', 'Full.'));
    expect(bench.sent.map(({ frame }) => frame.k)).toEqual(['d', 'd', 'err']);
  });

  it('fails when what it holds is too large to deliver', async () => {
    const bench = open();
    bench.opened.writer.events([text('a')]);
    bench.opened.writer.events([{ k: 'call', i: 0, id: 'c', name: 'n'.repeat(2_000), n: 1 }]);
    await bench.opened.finish();
    expect([bench.frames('err'), bench.frames('end')]).toMatchObject([[{ code: 'engine_error', q: 1 }], []]);
  });

  it('sends nothing that it holds after a cancel', async () => {
    const bench = open();
    for (const x of 'ab') bench.opened.writer.events([text(x)]);
    bench.table.cancel('s' as StreamId, 1);
    await bench.opened.finish();
    expect(data(bench)).toEqual([[text('a')]]);
    expect(bench.frames('end')).toMatchObject([{ fin: 'cancelled', q: 1 }]);
  });
});

describe('an acknowledgement', () => {
  it('is answered with exactly the missing attempts', () => {
    const bench = new Bench();
    bench.open('here', 2);
    expect(
      bench.ack([
        ['here', 2, 0, 0],
        ['here', 1, 0, 0],
        ['unknown', 1, 0, 0],
        ['done', 1, 4, 1],
      ]),
    ).toEqual([
      ['here', 1],
      ['unknown', 1],
    ]);
  });
});

describe('a gateway that is gone', () => {
  it('loses all its streams; other gateways lose none', () => {
    const bench = new Bench();
    const [mine, alsoMine, other] = [bench.open('a', 1, { gw: 'x' }), bench.open('b', 1, { gw: 'x' }), bench.open('c', 1, { gw: 'y' })];
    for (let passed = 0; passed <= 1_500; passed += 300) {
      mine.stream.interest.missing(bench.now);
      bench.wait(300);
    }
    expect([mine.signal.aborted, alsoMine.signal.aborted, other.signal.aborted]).toEqual([true, true, false]);
    expect([bench.counters.abandoned, bench.table.size]).toEqual([2, 1]);
  });

  it('is checked through one of its streams', () => {
    const bench = new Bench();
    const { stream } = bench.open();
    stream.interest.missing(bench.now);
    bench.wait(900);
    expect(bench.sent.filter(({ check }) => check).length).toBeGreaterThanOrEqual(3);
  });
});
