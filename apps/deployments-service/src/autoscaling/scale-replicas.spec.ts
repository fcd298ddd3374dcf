import { describe, expect, it } from 'vitest';
import { type FleetOptions, SimulatedFleet } from './simulated-fleet.samples.js';

const MINUTE = 60;
const range = { min: 1, max: 6, targetPercent: 70 };
/** Requests per second that take half the slots of so many replicas: a request takes 2 s, a replica has 4 slots. */
const halfOf = (replicas: number): number => replicas;

const fleet = (rate: FleetOptions['rate'], more: Partial<FleetOptions> = {}): SimulatedFleet =>
  new SimulatedFleet({ range, rate, ...more });

describe('a load that stays', () => {
  it('of half the slots changes nothing', () => {
    const one = fleet(() => 4 * halfOf(1), { slots: 16 });
    one.run(240 * MINUTE);
    expect(one.changes).toEqual([]);
  });

  it('of twice the slots adds replicas within 30 s', () => {
    const one = fleet(() => 4 * halfOf(1));
    one.run(30);
    expect(one.replicas).toBeGreaterThan(1);
    one.run(20 * MINUTE);
    // 8 slots in use of 12 are 67 %, with noise above 70 %.
    expect(one.replicas).toBeGreaterThanOrEqual(3);
    expect(one.replicas).toBeLessThanOrEqual(5);
    const { refused } = one;
    one.run(20 * MINUTE);
    expect(one.refused).toBe(refused);
  });

  it('of much more than all slots stops at the maximum', () => {
    const one = fleet(() => 100);
    one.run(5 * MINUTE);
    expect(one.replicas).toBe(6);
    expect(one.changes.map(({ replicas }) => replicas)).toEqual([2, 4, 6]);
  });

  it.each([1, 2, 3, 4, 5])('near the bound to %i replicas does not flap', (replicas) => {
    const one = fleet(() => 1.4 * halfOf(replicas));
    one.run(10 * MINUTE);
    const settled = one.changes.length;
    one.run(120 * MINUTE);
    expect(one.changes.length - settled).toBeLessThanOrEqual(2);
    expect(one.replicas).toBeGreaterThanOrEqual(replicas);
    expect(one.replicas).toBeLessThanOrEqual(replicas + 2);
  });
});

describe('a load that changes', () => {
  it('by a spike of 3 s changes nothing', () => {
    const one = fleet((at) => (at % 120_000 >= 60_000 && at % 120_000 < 63_000 ? 10 : 1.6), { slots: 16 });
    one.run(60 * MINUTE);
    expect(one.changes).toEqual([]);
  });

  it('by a spike each minute keeps what it needs', () => {
    const one = fleet((at) => (at % 60_000 < 20_000 ? 6 : 0.2));
    one.run(60 * MINUTE);
    const changes = one.changes.length;
    one.run(60 * MINUTE);
    expect(one.changes.length).toBe(changes);
    expect(one.replicas).toBeGreaterThanOrEqual(3);
  });

  it('by a ramp is followed up and down', () => {
    const one = fleet((at) => halfOf(1) * (at < 1_200_000 ? 0.5 + at / 200_000 : Math.max(0.5, 6.5 - (at - 1_200_000) / 200_000)));
    one.run(20 * MINUTE);
    expect(one.replicas).toBeGreaterThanOrEqual(5);
    one.run(40 * MINUTE);
    expect(one.replicas).toBe(1);
    expect(one.changes.length).toBeLessThanOrEqual(14);
    const counts = one.changes.map(({ replicas }) => replicas);
    const top = counts.indexOf(Math.max(...counts));
    expect(counts.slice(0, top + 1)).toEqual(counts.slice(0, top + 1).toSorted((a, b) => a - b));
    expect(counts.slice(top)).toEqual(counts.slice(top).toSorted((a, b) => b - a));
  });

  it('that ends gives up one replica at a time', () => {
    const one = fleet((at) => (at < 600_000 ? 8 : 0.5));
    one.run(10 * MINUTE);
    const top = one.replicas;
    expect(top).toBeGreaterThan(4);
    const up = one.changes.length;
    one.run(4 * MINUTE);
    expect(one.replicas).toBe(top);
    one.run(10 * MINUTE);
    expect(one.changes.slice(up).map(({ replicas }) => replicas)).toEqual(Array.from({ length: top - 1 }, (_, i) => top - 1 - i));
  });
});

describe('faults', () => {
  it('reports that are lost for a minute change nothing', () => {
    const one = fleet(() => 4 * halfOf(1), { isDeaf: (at) => at % 600_000 > 540_000 });
    one.run(9 * MINUTE);
    const changes = one.changes.length;
    one.run(60 * MINUTE);
    expect(one.changes.length - changes).toBeLessThanOrEqual(2);
    expect(one.replicas).toBeGreaterThanOrEqual(3);
  });

  it('elections change nothing under a steady load', () => {
    const one = fleet(() => 4 * halfOf(1));
    one.run(10 * MINUTE);
    const { replicas, changes } = one;
    const before = changes.length;
    for (let i = 0; i < 40; i += 1) {
      one.elect();
      one.run(i);
    }
    expect(one.replicas).toBe(replicas);
    expect(changes.length).toBe(before);
  });

  it('an election during a rise delays it by seconds', () => {
    const one = fleet(() => 4 * halfOf(1));
    one.run(5);
    one.elect();
    one.run(20);
    expect(one.replicas).toBeGreaterThan(1);
  });
});

describe('room', () => {
  it('that is missing is not asked for, but wanted', () => {
    const one = fleet(() => 6 * halfOf(1), { agents: () => 2 });
    one.run(10 * MINUTE);
    expect(one.replicas).toBe(2);
    expect(one.wanted).toBeGreaterThan(3);
  });

  it('that appears is used at once', () => {
    const one = fleet(() => 6 * halfOf(1), { agents: (at) => (at < 600_000 ? 1 : 8) });
    one.run(10 * MINUTE);
    expect(one.changes).toEqual([]);
    one.run(2);
    expect(one.replicas).toBeGreaterThan(3);
  });
});
