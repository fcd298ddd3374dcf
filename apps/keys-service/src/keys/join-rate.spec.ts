import { describe, expect, it } from 'vitest';
import { JoinRate } from './join-rate.js';

describe('the rate of joins', () => {
  it('refuses a host that joins all the time, and nobody else', () => {
    let now = 0;
    const rate = new JoinRate(() => now);
    for (let n = 0; n < 120; n += 1) expect(rate.take('crashing')).toBeNull();
    now = 20_000;
    expect([rate.take('crashing'), rate.take('other')]).toEqual([40, null]);
    now = 60_000;
    expect(rate.take('crashing')).toBeNull();
  });

  it('is bounded over hosts of invented names', () => {
    const rate = new JoinRate(() => 0);
    const taken = Array.from({ length: 2_000 }, (_, n) => rate.take(`host-${n}`)).filter((wait) => wait === null);
    expect(taken).toHaveLength(1_200);
  });
});
