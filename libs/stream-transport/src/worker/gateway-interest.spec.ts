import { describe, expect, it } from 'vitest';
import { GatewayInterest } from './gateway-interest.js';

const create = (now = 0): GatewayInterest => new GatewayInterest({ interestMs: 1_500, repeatMs: 300, ackMs: 400 }, now);

describe('the interest of a gateway', () => {
  it('is gone after 1.5 s of confirmed reports', () => {
    const interest = create();
    for (let now = 1_000; now < 2_500; now += 300) {
      interest.missing(now);
      expect(interest.gone(now)).toBe(false);
    }
    interest.missing(2_500);
    expect(interest.gone(2_500)).toBe(true);
  });

  it('is not gone after one unconfirmed report', () => {
    const interest = create();
    interest.missing(1_000);
    expect(interest.gone(2_600)).toBe(false);
  });

  it('is back with one acknowledgement', () => {
    const interest = create();
    interest.missing(1_000);
    interest.acknowledged(2_000);
    interest.missing(2_200);
    expect(interest.gone(2_600)).toBe(false);
    interest.missing(3_700);
    expect(interest.gone(3_700)).toBe(true);
  });

  it('is not gone while it moves between servers', () => {
    const interest = create();
    interest.acknowledged(500, true);
    for (let now = 1_000; now <= 4_000; now += 300) interest.missing(now);
    expect(interest.gone(4_000)).toBe(false);
    interest.acknowledged(4_100);
    for (let now = 4_200; now <= 5_700; now += 300) interest.missing(now);
    expect(interest.gone(5_700)).toBe(true);
  });

  it('ignores reports from before a reconnect', () => {
    const interest = create();
    interest.missing(1_000);
    interest.forget(2_000);
    interest.missing(2_600);
    expect(interest.gone(2_600)).toBe(false);
  });

  it('is checked when acknowledgements are late', () => {
    const interest = create();
    expect(interest.checkDue(500)).toBe(false);
    expect(interest.checkDue(650)).toBe(true);
    expect(interest.checkDue(900)).toBe(false);
    expect(interest.checkDue(950)).toBe(true);
    interest.acknowledged(1_000);
    expect(interest.checkDue(1_300)).toBe(false);
    interest.missing(1_350);
    expect(interest.checkDue(1_400)).toBe(true);
  });
});
