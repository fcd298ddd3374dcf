import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { clientAddress, originOf } from './client-address.js';

const request = (headers: Record<string, string>): Pick<IncomingMessage, 'headers' | 'socket'> => ({
  headers,
  socket: { remoteAddress: '10.0.0.1' } as IncomingMessage['socket'],
});

describe('the address of a client', () => {
  it.each([
    ['is the socket’s, whatever it says of itself', { 'x-forwarded-for': '192.0.2.1' }, 0, '10.0.0.1'],
    ['is what the one proxy saw', { 'x-forwarded-for': '198.51.100.9, 192.0.2.1' }, 1, '192.0.2.1'],
    ['is what the outer of two proxies saw', { 'x-forwarded-for': '1.1.1.1, 198.51.100.9, 192.0.2.1' }, 2, '198.51.100.9'],
    ['is the socket’s when a proxy was passed by', {}, 1, '10.0.0.1'],
    ['is the socket’s when it is no address', { 'x-forwarded-for': 'unknown' }, 1, '10.0.0.1'],
    ['may be of version 6', { 'x-forwarded-for': '2001:db8::1' }, 1, '2001:db8::1'],
  ])('%s', (_, headers, proxies, expected) => {
    expect(clientAddress(request(headers), proxies)).toBe(expected);
  });

  it('goes with the client’s name, cut to length', () => {
    const { client } = originOf(request({ 'user-agent': `Evil\u202Ebrowser${'x'.repeat(500)}` }), 0);
    expect(client).toHaveLength(200);
    expect(client).toMatch(/^Evilbrowser/);
  });
});
