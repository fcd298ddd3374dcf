import { type EndFrame, EMPTY_SUM, type StreamEvent, addToSum } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { FrameSequence } from './frame-sequence.js';

const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
const events = ['a', 'b', 'c', 'd', 'e', 'f'].map(text);

const endAt = (q: number, sum: number): EndFrame => ({
  k: 'end',
  q,
  fin: 'done',
  usage: { prompt: 0, cached: 0, completion: q },
  sum,
  tm: { queue: 0, prefill: 0, total: 0 },
});
const sumOf = (all: readonly StreamEvent[]): number => all.reduce(addToSum, EMPTY_SUM);

describe('the sequence of one attempt', () => {
  it('delivers consecutive frames unchanged', () => {
    const sequence = new FrameSequence();
    const first = events.slice(0, 2);
    expect(sequence.take(0, first)).toBe(first);
    expect(sequence.take(2, events.slice(2))).toEqual(events.slice(2));
    expect(sequence.next).toBe(6);
  });

  it('drops a duplicate frame', () => {
    const sequence = new FrameSequence();
    sequence.take(0, events.slice(0, 3));
    expect(sequence.take(0, events.slice(0, 3))).toBe('duplicate');
    expect(sequence.take(1, events.slice(1, 2))).toBe('duplicate');
    expect(sequence.next).toBe(3);
  });

  it('trims a frame that overlaps known events', () => {
    const sequence = new FrameSequence();
    sequence.take(0, events.slice(0, 3));
    expect(sequence.take(1, events.slice(1, 5))).toEqual(events.slice(3, 5));
    expect(sequence.next).toBe(5);
  });

  it('holds events behind a gap until it is filled', () => {
    const sequence = new FrameSequence();
    sequence.take(0, events.slice(0, 1));
    expect(sequence.take(2, events.slice(2, 3))).toBe('gap');
    expect(sequence.next).toBe(1);
    expect(sequence.take(1, events.slice(1))).toEqual(events.slice(1));
  });

  it('delivers each event once, in order, despite loss and repetition', () => {
    for (let seed = 1; seed < 200; seed += 1) {
      const sequence = new FrameSequence();
      const got: StreamEvent[] = [];
      let random = seed;
      const next = (below: number): number => (random = (random * 48_271) % 2_147_483_647) % below;
      for (let i = 0; i < 400 && sequence.next < events.length; i += 1) {
        const q = next(events.length);
        const taken = sequence.take(q, events.slice(q, q + 1 + next(3)));
        if (typeof taken !== 'string') got.push(...taken);
      }
      expect(got).toEqual(events.slice(0, sequence.next));
    }
  });

  it('accepts an end only when complete with matching checksum', () => {
    const sequence = new FrameSequence();
    sequence.take(0, events.slice(0, 4));
    expect(sequence.conclude(endAt(6, sumOf(events)))).toBe('gap');
    sequence.take(4, events.slice(4));
    expect(sequence.conclude(endAt(6, sumOf(events) ^ 1))).toBe('corrupt');
    expect(sequence.conclude(endAt(5, sumOf(events)))).toBe('corrupt');
    expect(sequence.conclude(endAt(6, sumOf(events)))).toBe('complete');
  });
});
