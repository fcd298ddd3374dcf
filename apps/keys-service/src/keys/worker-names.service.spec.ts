import { describe, expect, it } from 'vitest';
import { JoinRate } from './worker-names.service.js';

describe('joins per minute', () => {
  it('are limited for each host alone', () => {
    let now = 0;
    const rate = new JoinRate(() => now);
    for (let n = 0; n < 120; n += 1) expect(rate.take('crashing')).toBeNull();
    now = 20_000;
    expect([rate.take('crashing'), rate.take('other')]).toEqual([40, null]);
    now = 60_000;
    expect(rate.take('crashing')).toBeNull();
  });

  it('are limited over all hosts together', () => {
    const rate = new JoinRate(() => 0);
    const taken = Array.from({ length: 2_000 }, (_, n) => rate.take(`host-${n}`)).filter((wait) => wait === null);
    expect(taken).toHaveLength(1_200);
  });
});
