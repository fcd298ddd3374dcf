import { describe, expect, it, vi } from 'vitest';
import { jsonBytes } from './json-bytes.js';

const written = (value: object, expectedBytes = 0): string => Buffer.from(jsonBytes(value, expectedBytes)).toString('utf8');
const LONG = 'x'.repeat(70_000);
const KINDS = ['', 'a', '"', '\\', '\n', '\u0000', 'é', '€', '😀', '\ud800', '\udc00', LONG];

describe('the JSON of a large value', () => {
  it.each<[string, object]>([
    ['short', { a: 1, b: [true, null, -1.5e300], c: {} }],
    ['of one long text', { messages: [{ role: 'user', content: [{ type: 'text', text: LONG }] }], n: 1 }],
    ['of many short texts', { messages: Array.from({ length: 5_000 }, (_, i) => ({ role: 'user', content: `${i}\n` })) }],
    ['of a few long texts', [LONG, 'a', LONG, LONG, 'b', 'c']],
    ['with members that are absent', { a: undefined, b: LONG, c: undefined, d: [undefined, LONG, undefined] }],
    ['that is nested', { a: { b: [[{ c: LONG }]], d: [] }, e: [[], {}] }],
    ['with long names', { [LONG]: LONG, [`"${LONG}`]: 1 }],
  ])('%s is that of JSON.stringify', (_, value) => {
    expect(written(value)).toBe(JSON.stringify(value));
    expect(written(value, 1_000_000)).toBe(JSON.stringify(value));
  });

  it('makes no text of 128 KiB on its way', () => {
    const stringify = vi.spyOn(JSON, 'stringify');
    jsonBytes({ list: ['short', { a: `"${LONG}"` }, 'short', LONG, ...Array.from({ length: 5_000 }, () => 'a text')] }, 0);
    const lengths = stringify.mock.results.map(({ value }) => String(value).length);
    stringify.mockRestore();
    expect(Math.max(...lengths)).toBeLessThan(64 * 1024);
  });

  it('escapes what JSON escapes, wherever it stands', () => {
    for (let code = 0; code < 0x180; code += 1) {
      const places = [69_999, 40_000, 1, 0];
      const value = [places.reduce((text, at) => `${text.slice(0, at)}${String.fromCharCode(code)}${text.slice(at)}`, LONG)];
      expect(written(value) === JSON.stringify(value)).toBe(true);
    }
  });

  it('keeps surrogates together wherever a text is cut', () => {
    for (let before = 32_760; before < 32_776; before += 1) {
      for (const text of ['😀', '\ud83d', '\ude00', '\ude00\ud83d', '😀😀', '\ud83d😀', '😀\ude00']) {
        const value = { a: `${'x'.repeat(before)}${text}${'y'.repeat(40_000)}` };
        expect(written(value) === JSON.stringify(value)).toBe(true);
      }
    }
  });

  it('is that of JSON.stringify for random values', () => {
    let seed = 7;
    const below = (n: number): number => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % n;
    const random = (depth: number): unknown => {
      const kind = below(depth > 0 ? 4 : 2);
      if (kind === 0) return Array.from({ length: below(5) }, () => KINDS[below(KINDS.length)]).join('');
      if (kind === 1) return [null, true, below(1_000_000), 0.1][below(4)];
      const members = Array.from({ length: below(6) }, () => random(depth - 1));
      return kind === 2 ? members : Object.fromEntries(members.map((member, i) => [`${KINDS[below(11)]}${i}`, member]));
    };
    for (let i = 0; i < 300; i += 1) {
      const value = [random(4)];
      expect(written(value, below(100_000)) === JSON.stringify(value)).toBe(true);
    }
  });

  it('takes little more memory than it has bytes', () => {
    for (const expected of [0, 70_000, 10_000_000]) {
      const bytes = jsonBytes([LONG], expected);
      expect(bytes.byteOffset).toBe(0);
      expect(bytes.buffer.byteLength).toBeLessThan(bytes.length * 1.6);
    }
  });
});
