import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { TurnOutbox } from './turn-outbox.js';

/** Longer than any test takes. */
const LONG_MS = 600_000;

function setUp(holdMs = LONG_MS) {
  const sent: number[] = [];
  return { sent, outbox: new TurnOutbox<number>((items) => void sent.push(...items), { holdMs }) };
}

describe('an item put into an outbox', () => {
  it('is sent at the end of the turn, in order', async () => {
    const { sent, outbox } = setUp();
    outbox.put(1);
    await Promise.resolve().then(() => outbox.put(2));
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual([1, 2]);
    outbox.put(3);
    await turn();
    expect(sent).toEqual([1, 2, 3]);
  });

  it('is sent once when flushed', async () => {
    const { sent, outbox } = setUp();
    outbox.put(1);
    outbox.flush();
    expect(sent).toEqual([1]);
    outbox.put(2);
    await turn();
    await turn();
    expect(sent).toEqual([1, 2]);
  });

  it('is sent next turn when put during sending', async () => {
    const sent: number[] = [];
    const outbox = new TurnOutbox<number>(
      (items) => {
        sent.push(...items);
        if (items.includes(1)) outbox.put(2);
      },
      { holdMs: LONG_MS },
    );
    outbox.put(1);
    await turn();
    await turn();
    expect(sent).toEqual([1, 2]);
  });
});

describe('items of several turns', () => {
  it('leave together within the time that they wait', async () => {
    const sent: number[][] = [];
    const outbox = new TurnOutbox<number>((items) => void sent.push([...items]), { holdMs: LONG_MS, waitMs: () => 1 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      outbox.put(1);
      await turn();
      outbox.put(2);
      expect(sent).toEqual([]);
      vi.advanceTimersByTime(1);
      expect(sent).toEqual([[1, 2]]);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe('an item held in an outbox', () => {
  it('is sent with the next item, in order', async () => {
    const { sent, outbox } = setUp();
    outbox.hold(1);
    await turn();
    outbox.hold(2);
    await turn();
    expect(sent).toEqual([]);
    outbox.put(3);
    outbox.hold(4);
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual([1, 2, 3, 4]);
  });

  it('is sent alone after the hold time', async () => {
    const { sent, outbox } = setUp(1);
    outbox.hold(1);
    await vi.waitFor(() => expect(sent).toEqual([1]), 20_000);
    outbox.hold(2);
    await vi.waitFor(() => expect(sent).toEqual([1, 2]), 20_000);
  });

  it('is sent once when the outbox is flushed', async () => {
    const { sent, outbox } = setUp(1);
    outbox.hold(1);
    outbox.flush();
    expect(sent).toEqual([1]);
    outbox.put(2);
    await vi.waitFor(() => expect(sent).toEqual([1, 2]), 20_000);
  });
});
