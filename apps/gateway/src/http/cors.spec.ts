import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, it } from 'vitest';
import { Cors, parseOrigins, preflightHeaders } from './cors.js';

const noted = (cors: Cors, headers: IncomingHttpHeaders): Record<string, unknown> => {
  const all: Record<string, unknown> = {};
  cors.allow({ headers }, { setHeader: (name: string, value: unknown) => Object.assign(all, { [name]: value }) } as never);
  return all;
};

describe('origins that pages may call from', () => {
  it.each([
    ['', []],
    [' https://a.test , http://localhost:3000,', ['https://a.test', 'http://localhost:3000']],
    ['tauri://localhost,chrome-extension://abcdef', ['tauri://localhost', 'chrome-extension://abcdef']],
    ['*', ['*']],
  ])('%j are valid as origins', (text, origins) => {
    expect([...parseOrigins(text)]).toEqual(origins);
  });

  it.each([
    'a.test',
    'https://a.test/',
    'https://a.test/x',
    'https://A.test',
    'https://a.test:443',
    'https://*.test',
    'http://',
    'null',
    '**',
  ])('%j is refused, since no browser sends it', (text) => {
    expect(() => parseOrigins(text)).toThrow(/is not an origin as browsers send it/);
  });

  it('get no header unless they are configured', () => {
    expect(noted(new Cors(new Set()), { origin: 'https://a.test' })).toEqual({});
    expect(noted(new Cors(parseOrigins('https://a.test')), { origin: 'https://a.test.evil' })).toEqual({});
    expect(noted(new Cors(parseOrigins('*')), {})).toEqual({});
  });

  it('are echoed in turn, or all by a star', () => {
    const named = { 'access-control-allow-origin': 'https://a.test', vary: 'origin' };
    expect(noted(new Cors(parseOrigins('https://b.test,https://a.test')), { origin: 'https://a.test' })).toMatchObject(named);
    const all = noted(new Cors(parseOrigins('*')), { origin: 'null' });
    expect(all).toMatchObject({ 'access-control-allow-origin': '*' });
    expect(all).not.toHaveProperty('vary');
  });

  it('may send every valid header, and nothing else', () => {
    const asked = (names: string): string | undefined =>
      preflightHeaders({ headers: { 'access-control-request-headers': names } })['access-control-allow-headers'];
    expect(asked('authorization,x-stainless-os, anthropic-beta')).toBe('authorization, x-stainless-os, anthropic-beta');
    expect(asked('x ok, x-a: 1, é, x-b')).toBe('x-b');
    expect(asked(' ,')).toBeUndefined();
  });
});
