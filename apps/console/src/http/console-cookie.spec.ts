import { fastifyCookie } from '@fastify/cookie';
import { fastify } from 'fastify';
import { beforeAll, describe, expect, it } from 'vitest';
import { ProviderCookie, RefreshCookie } from './console-cookie.js';

// The plugin loads its parser when it is registered.
beforeAll(async () => {
  await fastify().register(fastifyCookie, { hook: false });
});

describe('the cookie of a session', () => {
  const cookie = new RefreshCookie('host');

  it('is bound to host and https, hidden from scripts', () => {
    expect(cookie.write('a.b', 3_600.9)).toBe('__Host-slipway_refresh=a.b; Max-Age=3600; Path=/; HttpOnly; Secure; SameSite=Strict');
    expect(cookie.clear()).toContain('__Host-slipway_refresh=; Max-Age=0;');
  });

  it('has no prefix and no Secure over http', () => {
    expect(new RefreshCookie('plain').write('a', 1)).toBe('slipway_refresh=a; Max-Age=1; Path=/; HttpOnly; SameSite=Strict');
  });

  it.each([
    ['x=1; __Host-slipway_refresh=a.b; y=2', 'a.b'],
    ['__Host-slipway_refresh=a=b', 'a=b'],
    ['slipway_refresh=planted', null],
    ['__Host-slipway_refreshed=x', null],
    ['__Host-slipway_refresh=a; __Host-slipway_refresh=b', null],
    ['', null],
  ])('read from "%s" is %j', (header, value) => {
    expect(cookie.read({ cookie: header })).toBe(value);
  });
});

it('the provider cookie survives navigation from another site', () => {
  expect(new ProviderCookie('host').write('x', 60)).toContain('Secure; SameSite=Lax');
});
