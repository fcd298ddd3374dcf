import { describe, expect, it } from 'vitest';
import { EMPTY_SUM, type StreamEvent, addToSum } from './stream-event.js';

const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });
const sumOf = (...events: readonly StreamEvent[]): number => events.reduce(addToSum, EMPTY_SUM);

describe('addToSum', () => {
  // Published test vectors of 32-bit FNV-1a; one code unit is one byte here.
  it.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('is FNV-1a of %j', (x, sum) => {
    expect(sumOf(text(x))).toBe(sum);
  });

  it('does not depend on how text is split', () => {
    const whole = 'Grüße 👋 «x»\u0000\n';
    const units = whole.split('').map(text);
    expect(units.length).toBe(whole.length);
    expect(sumOf(...units)).toBe(sumOf(text(whole)));
  });

  it('covers reasoning and text alone', () => {
    expect(sumOf({ k: 'think', x: 'ab', n: 1 })).toBe(sumOf(text('ab')));
    expect(sumOf({ k: 'start', prompt: 5 }, text('ab'), { k: 'fin', r: 'stop' })).toBe(sumOf(text('ab')));
  });

  it('differs when events are lost, repeated or swapped', () => {
    const events = ['one', ' two', ' three'].map(text);
    const [one, two, three] = events as [StreamEvent, StreamEvent, StreamEvent];
    const sums = [sumOf(one, two, three), sumOf(one, three), sumOf(one, two, two, three), sumOf(two, one, three)];
    expect(new Set(sums).size).toBe(sums.length);
  });

  it('stays an unsigned 32-bit number over a long stream', () => {
    let sum = EMPTY_SUM;
    for (let i = 0; i < 10_000; i += 1) {
      sum = addToSum(sum, text(`token ${i} \uffff`));
      if (!Number.isInteger(sum) || sum < 0 || sum > 0xffffffff) expect.unreachable(`sum is ${sum} after ${i} events`);
    }
    expect(sum).not.toBe(EMPTY_SUM);
  });
});
