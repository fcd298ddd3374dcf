import { expect, it } from 'vitest';
import { type HostLine, newestLines } from './engine-log.service.js';

const line = (at: number, host = 'a', text = `${host}${at}`): HostLine => ({ at, rev: 1, text, host });
const texts = (lines: readonly HostLine[]): string[] => lines.map(({ text }) => text);

it('merges hosts by time and keeps the newest', () => {
  const lines = [line(1), line(3), line(5), line(2, 'b'), line(4, 'b')];
  expect(texts(newestLines(lines, 3))).toEqual(['a3', 'b4', 'a5']);
  expect(texts(newestLines(lines, 9))).toEqual(['a1', 'b2', 'a3', 'b4', 'a5']);
  expect(newestLines([], 3)).toEqual([]);
});

it('keeps the order of lines with one timestamp', () => {
  const lines = [line(1, 'a', 'first'), line(1, 'a', 'second'), line(1, 'a', 'third')];
  expect(texts(newestLines(lines, 2))).toEqual(['second', 'third']);
});

it('leaves out the oldest lines of large replies', () => {
  const lines = Array.from({ length: 2_000 }, (_, at) => line(at, 'a', '"'.repeat(1_000)));
  const kept = newestLines(lines, 2_000);
  expect(Buffer.byteLength(JSON.stringify(kept))).toBeLessThan(520 * 1_024);
  expect(kept.length).toBeGreaterThan(200);
  expect(kept.at(-1)?.at).toBe(1_999);
});
