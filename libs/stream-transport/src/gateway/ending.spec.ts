import { describe, expect, it } from 'vitest';
import { Ending } from './ending.js';

describe('an ending', () => {
  it('is heard of by those who asked for its signal before it came', () => {
    const ending = new Ending();
    let heard = 0;
    ending.signal.addEventListener('abort', () => (heard += 1));
    expect(ending.signal.aborted).toBe(false);
    ending.end();
    ending.end();
    expect([ending.signal.aborted, heard]).toEqual([true, 1]);
  });

  it('is known to those who ask after it came', () => {
    const ending = new Ending();
    ending.end();
    expect(ending.signal.aborted).toBe(true);
  });
});
