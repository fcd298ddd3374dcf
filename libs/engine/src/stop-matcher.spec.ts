import { describe, expect, it } from 'vitest';
import { StopMatcher } from './stop-matcher.js';

/** Feeds pieces until a stop string ends the text. */
function run(stops: readonly string[], pieces: readonly string[]): { text: string; stop: string | null; pieces: string[] } {
  const matcher = new StopMatcher(stops);
  const out: string[] = [];
  for (const piece of pieces) {
    const { text, stop } = matcher.push(piece);
    out.push(text);
    if (stop !== null) return { text: out.join(''), stop, pieces: out };
  }
  out.push(matcher.flush());
  return { text: out.join(''), stop: null, pieces: out };
}

/** All ways to cut a text in two or three. */
function* cuts(text: string): Generator<string[]> {
  for (let i = 0; i <= text.length; i += 1) {
    for (let j = i; j <= text.length; j += 1) yield [text.slice(0, i), text.slice(i, j), text.slice(j)];
  }
}

describe('StopMatcher', () => {
  it('ends the text before the stop string, however the pieces fall', () => {
    for (const pieces of cuts('one two STOP three')) expect(run(['STOP'], pieces)).toMatchObject({ text: 'one two ', stop: 'STOP' });
  });

  it('loses no text of a stop string that was only begun', () => {
    for (const pieces of cuts('a ST b STO c S')) expect(run(['STOP'], pieces)).toMatchObject({ text: 'a ST b STO c S', stop: null });
  });

  it('sees a stop string that begins inside a failed attempt', () => {
    for (const pieces of cuts('xaaab!')) expect(run(['aab'], pieces)).toMatchObject({ text: 'xa', stop: 'aab' });
    for (const pieces of cuts('ababac')) expect(run(['abac'], pieces)).toMatchObject({ text: 'ab', stop: 'abac' });
  });

  it('lets the stop string win that is complete first, and of two at once the longer', () => {
    for (const pieces of cuts('xabcdy')) expect(run(['abcd', 'bc'], pieces)).toMatchObject({ text: 'xa', stop: 'bc' });
    for (const pieces of cuts('xabcy')) expect(run(['bc', 'abc'], pieces)).toMatchObject({ text: 'x', stop: 'abc' });
  });

  it('never lets a beginning of the stop string out before it is decided', () => {
    const matcher = new StopMatcher(['\n\nUser:']);
    expect(matcher.push('Hi.\n')).toEqual({ text: 'Hi.', stop: null });
    expect(matcher.push('\nUse')).toEqual({ text: '', stop: null });
    expect(matcher.push('ful')).toEqual({ text: '\n\nUseful', stop: null });
  });

  it('passes text through at once without stop strings', () => {
    expect(run([], ['a', 'b']).pieces).toEqual(['a', 'b', '']);
  });

  it('finds stop strings outside the basic plane and never cuts a pair in two', () => {
    for (const pieces of [['a', '😀', 'b'], ['a😀b']]) expect(run(['😀'], pieces)).toMatchObject({ text: 'a', stop: '😀' });
    expect(run(['\ude00'], ['a😀b'])).toMatchObject({ text: 'a😀b', stop: null });
  });

  // Quadratic work would not end within the time limit of a test.
  it('takes linear time with long stop strings', () => {
    const matcher = new StopMatcher([`${'a'.repeat(50_000)}b`, `${'ab'.repeat(25_000)}c`]);
    for (let i = 0; i < 200; i += 1) matcher.push('a'.repeat(500));
    expect(matcher.flush()).toHaveLength(50_000);
  });
});
