import { describe, expect, it } from 'vitest';
import { inParts, PartCollector } from './message-parts.js';

describe('inParts', () => {
  it('keeps order and bounds each part', () => {
    const texts = Array.from({ length: 500 }, (_, n) => `${n}`.repeat((n % 40) + 1) + 'ü');
    const parts = inParts(texts, 300);
    expect(parts.flat()).toEqual(texts);
    for (const part of parts) expect(Buffer.byteLength(part.join(','))).toBeLessThanOrEqual(300);
    expect(parts.length).toBeGreaterThan(10);
  });

  it('gives a long text its own part', () => {
    expect(inParts(['a', 'x'.repeat(50), 'b'], 10)).toEqual([['a'], ['x'.repeat(50)], ['b']]);
  });

  it('makes no part without texts', () => {
    expect(inParts([], 10)).toEqual([]);
  });
});

describe('PartCollector', () => {
  const add = (collector: PartCollector<string>, series: string, i: number, of: number): string[] | null =>
    collector.add(series, { i, of }, `${series}${i}`);

  it('returns a series once complete', () => {
    const collector = new PartCollector<string>();
    expect(add(collector, 'a', 2, 3)).toBeNull();
    expect(add(collector, 'a', 0, 3)).toBeNull();
    expect(add(collector, 'a', 0, 3)).toBeNull();
    expect(add(collector, 'a', 1, 3)).toEqual(['a0', 'a1', 'a2']);
  });

  it('completes a series from its repetition', () => {
    const collector = new PartCollector<string>();
    add(collector, 'a', 0, 2);
    add(collector, 'a', 0, 2);
    expect(add(collector, 'a', 1, 2)).toEqual(['a0', 'a1']);
  });

  it('never mixes two series', () => {
    const collector = new PartCollector<string>();
    add(collector, 'a', 0, 2);
    expect(add(collector, 'b', 1, 2)).toBeNull();
    expect(add(collector, 'b', 0, 2)).toEqual(['b0', 'b1']);
    expect(add(collector, 'a', 1, 2)).toEqual(['a0', 'a1']);
  });

  it('ignores parts that do not fit the series', () => {
    const collector = new PartCollector<string>();
    expect(add(collector, 'a', 3, 3)).toBeNull();
    expect(add(collector, 'a', 0, 0)).toBeNull();
    add(collector, 'a', 0, 2);
    expect(add(collector, 'a', 1, 3)).toBeNull();
    expect(add(collector, 'a', 1, 2)).toBeNull();
  });

  it('forgets old incomplete series', () => {
    const collector = new PartCollector<string>();
    for (let n = 0; n < 1_000; n += 1) add(collector, `s${n}`, 0, 2);
    expect(add(collector, 's0', 1, 2)).toBeNull();
    expect(add(collector, 's999', 1, 2)).toEqual(['s9990', 's9991']);
  });
});
