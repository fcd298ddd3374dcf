import { describe, expect, it } from 'vitest';
import { ProviderCookie, RefreshCookie } from './console-cookie.js';

describe('the cookie of a session', () => {
  const cookie = new RefreshCookie('host');

  it('is bound to the host, to https and to the console’s own pages, and no script reads it', () => {
    expect(cookie.write('a.b', 3_600.9)).toBe('__Host-slipway_refresh=a.b; Max-Age=3600; Path=/; HttpOnly; SameSite=Strict; Secure');
    expect(cookie.clear()).toContain('__Host-slipway_refresh=; Max-Age=0;');
  });

  it('loses prefix and Secure where only http is spoken', () => {
    expect(new RefreshCookie('plain').write('a', 1)).toBe('slipway_refresh=a; Max-Age=1; Path=/; HttpOnly; SameSite=Strict');
  });

  it.each([
    ['x=1; __Host-slipway_refresh=a.b; y=2', 'a.b'],
    ['__Host-slipway_refresh=a=b', 'a=b'],
    ['slipway_refresh=planted', null],
    ['__Host-slipway_refreshed=x', null],
    ['__Host-slipway_refresh=a; __Host-slipway_refresh=b', null],
    ['', null],
  ])('of a request with "%s" is %j', (header, value) => {
    expect(cookie.read({ cookie: header })).toBe(value);
  });
});

it('the cookie of a provider’s sign-in survives the way back from its site', () => {
  expect(new ProviderCookie('host').write('x', 60)).toContain('SameSite=Lax; Secure');
});
