import type { Need } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { HeardReleases } from './releases.js';
import { UpdateOrder } from './update-order.js';

const NEED: Need = { of: 'gateway', from: 'keys', level: 2, because: 'it counts tokens' };
const OLD = '0.2.0; protocol=1.0; level=1';
const NEW = '0.3.0; protocol=1.0; level=2';

let now = 0;
let heard: HeardReleases;
let isRefused: boolean;
let said: string[];
let order: UpdateOrder;
beforeEach(() => {
  heard = new HeardReleases(() => now);
  isRefused = false;
  said = [];
  const heldUp = (reason: string): void => void said.push(reason);
  order = new UpdateOrder({ role: 'gateway', heard, isRefused: () => isRefused, heldUp, needs: [NEED] });
});

describe('a process that needs a newer peer', () => {
  it('is held up by an older one, and names it once', () => {
    heard.note('keys', OLD);
    for (let nth = 0; nth < 3; nth += 1)
      expect(order.missing()).toMatch(/^keys-service runs 0\.2\.0; this gateway is .+ needs it updated first/);
    expect(said).toHaveLength(1);
  });

  it('is held up by one that tells nothing', () => {
    heard.note('keys', undefined);
    expect(order.missing()).toContain('keys-service runs an older release');
  });

  it('is held up until the last old replica has fallen silent', () => {
    heard.note('keys', OLD);
    heard.note('keys', NEW);
    expect(order.missing()).not.toBeNull();
    now += 10_001;
    heard.note('keys', NEW);
    expect(order.missing()).toBeNull();
  });

  it('stays ready when its peer goes back to an older release', () => {
    heard.note('keys', NEW);
    expect(order.missing()).toBeNull();
    heard.note('keys', OLD);
    isRefused = true;
    expect([order.missing(), order.passed]).toEqual([null, true]);
  });

  it('waits for no peer that is away', () => {
    heard.note('deployments', undefined);
    expect(order.missing()).toBeNull();
  });

  it('is held up by a nats.conf of an older release', () => {
    heard.note('keys', NEW);
    isRefused = true;
    expect(order.missing()).toContain('nats.conf is of an older release');
  });

  it('keeps few of the releases that one role tells', () => {
    for (let nth = 0; nth < 100; nth += 1) heard.note('keys', `0.2.${nth}; protocol=1.0; level=${nth}`);
    expect(heard.lowest('keys')?.level).toBeGreaterThanOrEqual(84);
  });
});
