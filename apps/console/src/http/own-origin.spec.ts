import type { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { checkRequest, OwnOrigin } from './own-origin.js';

const own = new OwnOrigin({ baseUrl: 'https://console.example.com', host: '0.0.0.0', port: 8081 });
const GOOD = { origin: 'https://console.example.com', 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

const codeOf = (method: string, headers: Record<string, string | undefined>, origin = own): string | null => {
  try {
    checkRequest({ method, headers }, origin);
    return null;
  } catch (error) {
    return (error as ServiceError).code;
  }
};

describe('a change', () => {
  it('is accepted from pages of the console', () => {
    expect(codeOf('POST', GOOD)).toBeNull();
    expect(codeOf('POST', { ...GOOD, 'sec-fetch-site': undefined })).toBeNull();
    expect(codeOf('DELETE', { ...GOOD, origin: undefined })).toBeNull();
  });

  it.each([
    ['of another site', { ...GOOD, origin: 'https://evil.example.com', 'sec-fetch-site': 'cross-site' }],
    ['of another name of the same site', { ...GOOD, origin: 'https://other.example.com', 'sec-fetch-site': 'same-site' }],
    ['of the console over plain http', { ...GOOD, origin: 'http://console.example.com' }],
    ['of another port', { ...GOOD, origin: 'https://console.example.com:8443' }],
    ['of a sandboxed page', { ...GOOD, origin: 'null' }],
    ['with an own origin that the browser contradicts', { ...GOOD, 'sec-fetch-site': 'cross-site' }],
    ['without an origin', { 'content-type': 'application/json' }],
    ['of a bookmark', { 'content-type': 'application/json', 'sec-fetch-site': 'none' }],
  ])('is refused from a page %s', (_, headers) => {
    expect(codeOf('POST', headers)).toBe('not_permitted');
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/json; charset=utf-16', undefined])(
    'is refused as %s, which forms of other sites may send',
    (type) => {
      expect(codeOf('POST', { ...GOOD, 'content-type': type })).toBe('unsupported_media_type');
    },
  );
});

describe('an API key', () => {
  it.each([
    { 'x-api-key': 'svc_dep_abc' },
    { 'x-api-key': '' },
    { authorization: 'Bearer svc_dep_abc' },
    { authorization: 'bearer  svc_mcp_abc' },
    { authorization: 'svc_dep_abc' },
  ])('is refused: %j', (headers) => {
    expect(codeOf('GET', headers)).toBe('insufficient_scope');
    expect(codeOf('POST', { ...GOOD, ...headers })).toBe('insufficient_scope');
  });
});

describe('the own origin', () => {
  it('has several loopback names, each with its port', () => {
    const local = new OwnOrigin({ baseUrl: undefined, host: '127.0.0.1', port: 8081 });
    expect(local.url).toBe('http://127.0.0.1:8081');
    for (const origin of ['http://127.0.0.1:8081', 'http://localhost:8081']) expect(codeOf('POST', { ...GOOD, origin }, local)).toBeNull();
    for (const origin of ['http://localhost:8080', 'https://localhost:8081', 'http://127.0.0.1']) {
      expect(codeOf('POST', { ...GOOD, origin }, local)).toBe('not_permitted');
    }
  });
});
