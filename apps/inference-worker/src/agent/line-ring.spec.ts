import { LOG_LINE_CHARS, LOG_RING_LINES, logLineFilter } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { LineRing, type WantedLines } from './log-book.js';

const filled = (count: number): LineRing => {
  const ring = new LineRing();
  for (let nth = 0; nth < count; nth += 1) ring.add({ at: nth, rev: 1, text: `line ${nth}` });
  return ring;
};
const ROOMY = 10_000_000;

it('returns the requested number of newest lines, oldest first', () => {
  expect(
    filled(5)
      .newest(2, ROOMY)
      .map(({ text }) => text),
  ).toEqual(['line 3', 'line 4']);
  expect(filled(5).newest(99, ROOMY)).toHaveLength(5);
  expect(filled(0).newest(99, ROOMY)).toEqual([]);
});

it('returns wanted lines only, as many as asked for', () => {
  const ring = new LineRing();
  for (let no = 1; no <= 10; no += 1) ring.add({ at: no, rev: 1, text: `line ${no}`, no, level: no % 2 === 0 ? 'warn' : 'debug' });
  const numbers = (count: number, wanted: WantedLines): (number | undefined)[] => ring.newest(count, ROOMY, wanted).map(({ no }) => no);
  expect(numbers(2, { isWanted: logLineFilter({ level: 'warn' }) })).toEqual([8, 10]);
  expect(numbers(9, { after: 8 })).toEqual([9, 10]);
  expect(numbers(9, { after: 6, isWanted: logLineFilter({ since: 3, until: 10, search: 'LINE' }) })).toEqual([7, 8, 9]);
  expect(numbers(9, { after: 10 })).toEqual([]);
});

it.each([LOG_RING_LINES, LOG_RING_LINES + 1, 3 * LOG_RING_LINES + 7])('keeps the newest of %i lines', (count) => {
  const kept = filled(count).newest(LOG_RING_LINES, ROOMY);
  expect(kept.map(({ at }) => at)).toEqual(Array.from({ length: LOG_RING_LINES }, (_, nth) => count - LOG_RING_LINES + nth));
});

it('cuts long lines and fits the newest into a reply', () => {
  const ring = new LineRing();
  for (let at = 0; at < 100; at += 1) ring.add({ at, rev: 1, text: 'ü'.repeat(5_000) });
  const some = ring.newest(100, 50_000);
  expect(some.length).toBeGreaterThan(10);
  expect(Buffer.byteLength(JSON.stringify(some))).toBeLessThanOrEqual(50_010);
  expect(some.at(-1)).toMatchObject({ at: 99, text: 'ü'.repeat(LOG_LINE_CHARS) });
});
