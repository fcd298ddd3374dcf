import { describe, expect, it } from 'vitest';
import { Histogram } from './histogram.js';
import { TokenLedger, noTokens } from './token-ledger.js';
import { writeToken } from '../engine/token-text.js';

const START_US = 90_000_000_000;
const STEP_US = 20_000;
const token = (n: number): string => `data: {"choices":[{"delta":{"content":"${writeToken({ n, dueUs: START_US + n * STEP_US })}"}}]}\n\n`;

/** Lets pieces arrive, each as many milliseconds after its token was due as it says, and ends the stream. */
function watch(expected: number, pieces: readonly (readonly [text: string, dueN: number, lateMs: number])[]) {
  const counts = noTokens();
  const lateness = new Histogram();
  const ledger = new TokenLedger(expected, counts, lateness);
  for (const [text, n, lateMs] of pieces) ledger.text(text, START_US + n * STEP_US + lateMs * 1_000);
  ledger.end();
  return { counts, lateness: lateness.summary() };
}
const inTime = (n: number) => [token(n), n, 1] as const;

describe('a stream of numbered tokens', () => {
  it('counts every token once when all arrive', () => {
    expect(watch(3, [inTime(0), inTime(1), inTime(2)]).counts).toEqual({ ...noTokens(), tokens: 3 });
  });

  it('counts a token that never arrived as lost', () => {
    expect(watch(4, [inTime(0), inTime(2)]).counts).toEqual({ ...noTokens(), tokens: 2, lost: 2 });
  });

  it('counts all tokens of an empty stream as lost', () => {
    expect(watch(64, []).counts).toEqual({ ...noTokens(), lost: 64 });
  });

  it('counts a token that arrived twice as doubled', () => {
    expect(watch(3, [inTime(0), inTime(1), inTime(1), inTime(2)]).counts).toEqual({ ...noTokens(), tokens: 3, doubled: 1 });
  });

  it('does not let a doubled token hide a lost one', () => {
    expect(watch(3, [inTime(0), inTime(0), inTime(2)]).counts).toEqual({ ...noTokens(), tokens: 2, lost: 1, doubled: 1 });
  });

  it('counts a token behind a later one as misplaced', () => {
    expect(watch(3, [inTime(1), inTime(0), inTime(2)]).counts).toEqual({ ...noTokens(), tokens: 3, misplaced: 1 });
  });

  it('counts a token as late after 100 ms, and as very late after 250', () => {
    const { counts, lateness } = watch(3, [
      [token(0), 0, 100],
      [token(1), 1, 100.5],
      [token(2), 2, 350],
    ]);
    expect(counts).toEqual({ ...noTokens(), tokens: 3, late: 2, veryLate: 1 });
    expect(lateness).toMatchObject({ count: 3, p99: expect.closeTo(350, 0), max: expect.closeTo(350, 0) });
    expect(lateness.p50).toBeCloseTo(100.5, 1);
  });

  it('finds a token wherever the connection cuts it', () => {
    const text = token(0) + token(1);
    for (let at = 1; at < text.length; at += 1) {
      const cut = [[text.slice(0, at), 1, 0] as const, [text.slice(at), 1, 0] as const];
      expect([at, watch(2, cut).counts]).toEqual([at, { ...noTokens(), tokens: 2 }]);
    }
  });

  it('finds tokens that were joined into one chunk', () => {
    const joined = [0, 1, 2].map((n) => writeToken({ n, dueUs: START_US + n * STEP_US })).join('');
    expect(watch(3, [[`{"content":"${joined}"}`, 2, 0]]).counts).toEqual({ ...noTokens(), tokens: 3 });
  });

  it('counts text that is no token, or one that the stream cannot have, as garbled', () => {
    expect(watch(1, [inTime(0), ['<00x1,000000000>', 0, 0], inTime(7), ['<0000.0', 0, 0]]).counts).toEqual({
      ...noTokens(),
      tokens: 1,
      garbled: 3,
    });
  });
});

describe('percentiles', () => {
  it('are within a thousandth of each duration', () => {
    const histogram = new Histogram();
    for (let ms = 1; ms <= 1_000; ms += 1) histogram.add(ms / 10);
    const { count, p50, p99, max } = histogram.summary();
    expect(count).toBe(1_000);
    for (const [found, ms] of [
      [p50, 50],
      [p99, 99],
      [max, 100],
    ] as const)
      expect(Math.abs(found / ms - 1)).toBeLessThan(0.001);
  });

  it('hold for durations of seconds, and for none', () => {
    const histogram = new Histogram();
    expect(histogram.summary()).toEqual({ count: 0, p50: 0, p99: 0, max: 0 });
    for (const ms of [-5, 2_500, 60_000]) histogram.add(ms);
    const { p50, p99, max } = histogram.summary();
    expect([p50 / 2_500, p99 / 60_000, max / 60_000].map((part) => part.toFixed(2))).toEqual(['1.00', '1.00', '1.00']);
  });
});
