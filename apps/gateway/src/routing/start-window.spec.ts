import { describe, expect, it } from 'vitest';
import { StartWindow } from './start-window.js';

/** How many starts fit into it now. */
function roomOf(window: StartWindow): number {
  let room = 0;
  for (; !window.isFull; room += 1) window.opened();
  for (let i = 0; i < room; i += 1) window.closed();
  return room;
}

/** Sends and answers starts for `ms`, each after `answerMs`, one each millisecond. */
function answer(window: StartWindow, { from, ms, answerMs }: { from: number; ms: number; answerMs: number | null }): void {
  for (let now = from; now < from + ms; now += 1) {
    window.opened();
    window.answered(answerMs, now);
  }
}

describe('the bound of unanswered starts', () => {
  it('takes a burst at once', () => {
    expect(roomOf(new StartWindow())).toBe(64);
  });

  it('stays as it is while answers are prompt', () => {
    const window = new StartWindow();
    answer(window, { from: 0, ms: 2_000, answerMs: 5 });
    expect(roomOf(window)).toBe(64);
  });

  it('shrinks while every answer is late, but not to nothing', () => {
    const window = new StartWindow();
    answer(window, { from: 0, ms: 250, answerMs: 40 });
    expect(roomOf(window)).toBeLessThan(64);
    answer(window, { from: 250, ms: 3_000, answerMs: 40 });
    expect(roomOf(window)).toBe(8);
  });

  it('ignores single late answers', () => {
    const window = new StartWindow();
    for (let now = 0; now < 1_000; now += 1) {
      window.opened();
      window.answered(now % 50 === 0 ? 3 : 200, now);
    }
    expect(roomOf(window)).toBe(64);
  });

  it('ignores answers to large requests', () => {
    const window = new StartWindow();
    answer(window, { from: 0, ms: 1_000, answerMs: null });
    expect(roomOf(window)).toBe(64);
  });

  it('grows again while all of it is used', () => {
    const window = new StartWindow();
    answer(window, { from: 0, ms: 3_000, answerMs: 40 });
    let open = 0;
    for (let now = 3_000; now < 5_000; now += 10) {
      for (; !window.isFull; open += 1) window.opened();
      window.answered(2, now);
      open -= 1;
    }
    expect(open).toBe(63);
  });
});
