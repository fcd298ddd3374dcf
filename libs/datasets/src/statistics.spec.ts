import { describe, expect, it } from 'vitest';
import { plainMessage } from './formats/messages.js';
import { scriptOf } from './scripts.js';
import { Lengths, StatisticsCollector } from './statistics.js';

describe('Lengths', () => {
  it('knows percentiles to 6 %', () => {
    const lengths = new Lengths();
    for (let i = 1; i <= 10_000; i += 1) lengths.add(i);
    const { p50, p90, p99, longest } = lengths.summary();
    for (const [found, exact] of [
      [p50, 5_000],
      [p90, 9_000],
      [p99, 9_900],
    ] as const) {
      expect(found).toBeGreaterThanOrEqual(exact);
      expect(found).toBeLessThan(exact * 1.13);
    }
    expect(longest).toBe(10_000);
  });

  it('draws at most 64 bars that hold every length', () => {
    const lengths = new Lengths();
    let sum = 0;
    for (let length = 0; length < 1_000_000; length = Math.ceil(length * 1.01) + 1) {
      lengths.add(length);
      sum += 1;
    }
    const bars = lengths.histogram();
    expect(bars.length).toBeLessThanOrEqual(64);
    expect(bars.reduce((all, { examples }) => all + examples, 0)).toBe(sum);
    expect(bars.map(({ upto }) => upto)).toEqual(bars.map(({ upto }) => upto).sort((a, b) => a - b));
    expect(bars.at(-1)?.upto).toBe(lengths.summary().longest);
  });

  it('puts each length into the bar that ends at or above it', () => {
    for (let length = 0; length < 5_000; length += 1) {
      const lengths = new Lengths();
      lengths.add(length);
      lengths.add(10_000);
      expect(lengths.histogram()[0]?.upto).toBeGreaterThanOrEqual(length);
      expect(lengths.histogram()[0]?.upto).toBeLessThanOrEqual(length * 1.13);
    }
  });

  it('is empty without lengths', () => {
    expect(new Lengths().summary()).toEqual({ p50: 0, p90: 0, p99: 0, longest: 0 });
    expect(new Lengths().histogram()).toEqual([]);
  });
});

it.each([
  ['Hello, wörld', 'Latin'],
  ['Привет, world', 'Cyrillic'],
  ['これはペンです', 'Kana'],
  ['漢字中文', 'Han'],
  ['안녕하세요', 'Hangul'],
  ['שלום', 'Hebrew'],
  ['مرحبا', 'Arabic'],
  ['नमस्ते', 'Devanagari'],
  ['ᏣᎳᎩ', 'Other'],
])('tells the script of %s', (text, script) => {
  expect(scriptOf([text])).toBe(script);
});

it('finds no script where there are no letters', () => {
  expect(scriptOf(['12 + 3 😀 —'])).toBeNull();
});

it('counts system prompts up to a bound, the most frequent one with a line', () => {
  const collector = new StatisticsCollector();
  const add = (system: string, line: number) =>
    collector.add(
      { kind: 'sft', tools: [], parallelToolCalls: null, messages: [plainMessage('system', system), plainMessage('user', 'x')] },
      line,
      true,
    );
  for (let i = 1; i <= 12_000; i += 1) {
    add(`prompt ${i}`, 2 * i);
    add('the same', 2 * i + 1);
  }
  expect(collector.result().system_prompts).toEqual({ different: 10_000, most_frequent: 12_000 });
  expect(collector.systemPrompt()).toMatchObject({ examples: 12_000, line: 3 });
});
