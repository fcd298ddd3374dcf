import { describe, expect, it } from 'vitest';
import { Retention } from './retention.js';

function filled(counts: readonly number[]): Retention {
  const retention = new Retention();
  let event = 0;
  for (const n of counts) retention.add(n, Array.from({ length: n }, () => String(event++)).join(','));
  return retention;
}
const replayed = (retention: Retention, from: number): { q: number; events: number[] }[] =>
  [...retention.replay(from)].map(({ q, json }) => ({ q, events: JSON.parse(`[${json}]`) as number[] }));

describe('retained events', () => {
  it('are replayed from a position in whole frames', () => {
    const retention = filled([1, 2, 3]);
    expect(replayed(retention, 0)).toEqual([{ q: 0, events: [0, 1, 2, 3, 4, 5] }]);
    expect(replayed(retention, 2)).toEqual([{ q: 1, events: [1, 2, 3, 4, 5] }]);
    expect(replayed(retention, 3)).toEqual([{ q: 3, events: [3, 4, 5] }]);
    expect(replayed(retention, 6)).toEqual([]);
  });

  it('are dropped once their whole frame is acknowledged', () => {
    const retention = filled([2, 2, 2]);
    retention.acknowledge(3);
    expect(replayed(retention, 0)).toEqual([{ q: 2, events: [2, 3, 4, 5] }]);
    retention.acknowledge(6);
    expect([retention.held, retention.produced, replayed(retention, 0)]).toEqual([0, 6, []]);
  });

  it('survive an old or impossible acknowledgement', () => {
    const retention = filled([2, 2]);
    retention.acknowledge(2);
    retention.acknowledge(0);
    expect(replayed(retention, 0)).toEqual([{ q: 2, events: [2, 3] }]);
    retention.acknowledge(1_000_000);
    expect(retention.add(1, '4')).toBe(4);
    expect(replayed(retention, 0)).toEqual([{ q: 4, events: [4] }]);
  });

  it('stay correct over thousands of frames without growth', () => {
    const retention = new Retention();
    for (let i = 0; i < 5_000; i += 1) {
      retention.add(1, String(i));
      retention.acknowledge(i - 9);
    }
    expect(retention.held).toBe(10);
    expect(replayed(retention, 0)).toEqual([{ q: 4_990, events: Array.from({ length: 10 }, (_, i) => 4_990 + i) }]);
  });

  it('are replayed in several frames when large', () => {
    const retention = new Retention();
    for (let i = 0; i < 5; i += 1) retention.add(1, JSON.stringify('x'.repeat(60_000)));
    expect([...retention.replay(0)].map(({ q }) => q)).toEqual([0, 2, 4]);
  });
});
