import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { InvalidKeyLimiter } from './key-verifier.service.js';

const invalid = new ServiceError('invalid_api_key', 'No.');

describe('guesses of keys', () => {
  const bench = (perSecond: number) => {
    const clock = { now: 0 };
    const limiter = new InvalidKeyLimiter(perSecond, () => clock.now);
    const code = (address = '192.0.2.1', refusal = invalid): string => limiter.limited(refusal, address).code;
    return { clock, code };
  };

  it('get 429 after ten seconds’ worth at once', () => {
    const { clock, code } = bench(2);
    for (let i = 0; i < 20; i += 1) expect(code()).toBe('invalid_api_key');
    expect(code()).toBe('rate_limit_exceeded');
    clock.now += 1_000;
    expect([code(), code(), code()]).toEqual(['invalid_api_key', 'invalid_api_key', 'rate_limit_exceeded']);
  });

  it('from one address do not affect another', () => {
    const { code } = bench(1);
    for (let i = 0; i < 11; i += 1) code();
    expect(code()).toBe('rate_limit_exceeded');
    expect(code('192.0.2.2')).toBe('invalid_api_key');
  });

  it('are counted alone, and not without a limit', () => {
    const { code } = bench(1);
    const other = new ServiceError('auth_unavailable', 'Later.');
    for (let i = 0; i < 50; i += 1) expect(code(undefined, other)).toBe('auth_unavailable');
    const off = bench(0);
    for (let i = 0; i < 50; i += 1) expect(off.code()).toBe('invalid_api_key');
  });

  it('of many addresses use bounded memory', () => {
    const { code } = bench(1);
    for (let i = 0; i < 11; i += 1) code('first');
    for (let i = 0; i < 10_000; i += 1) code(`address ${i}`);
    expect(code('first')).toBe('invalid_api_key');
  });
});
