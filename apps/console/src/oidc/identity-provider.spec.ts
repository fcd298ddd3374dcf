import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IdentityProvider } from './identity-provider.js';

const CALLBACK = 'http://127.0.0.1:1/api/oidc/callback';
const json = (status: number, body: object): RequestListener => {
  return (_request, response) => void response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
};

let server: Server;
let issuer: string;
let tokenEndpoint: RequestListener;

beforeEach(async () => {
  server = createServer((request, response) => {
    if (request.url === '/token') return tokenEndpoint(request, response);
    const endpoints = { authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` };
    return json(200, { issuer, ...endpoints })(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

/** Comes back from the provider with a code, and asks who that is. */
async function finish(): Promise<unknown> {
  const settings = { issuer, clientId: 'slipway', clientSecret: 'secret', scopes: 'openid', name: 'Example' };
  const provider = new IdentityProvider(settings);
  const { transaction } = await provider.begin(CALLBACK, { nonce: 'n'.repeat(43), invitation: undefined });
  return provider.finish(new URL(`${CALLBACK}?code=a-code&state=${transaction.state}`), transaction);
}

describe('a provider that sends a browser back', () => {
  it.each<[string, RequestListener]>([
    ['breaks the connection off', (request) => void request.socket.destroy()],
    [
      'breaks its answer off',
      (_request, response) =>
        void response.writeHead(200, { 'content-type': 'application/json', 'content-length': 9 }).write('{', () => response.destroy()),
    ],
    ['fails', json(503, {})],
    ['fails and says so', json(500, { error: 'server_error' })],
  ])('and then %s is unavailable', async (_, listener) => {
    tokenEndpoint = listener;
    await expect(finish()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('and then does not respond is unavailable', { timeout: 60_000 }, async () => {
    tokenEndpoint = () => undefined;
    await expect(finish()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it.each<[string, RequestListener]>([
    ['refuses it', json(400, { error: 'invalid_grant' })],
    ['vouches for no one', json(200, { access_token: 'a', token_type: 'bearer' })],
    ['answers nonsense', (_request, response) => void response.end('hello')],
  ])('and then %s refuses the sign-in', async (_, listener) => {
    tokenEndpoint = listener;
    await expect(finish()).rejects.toMatchObject({ code: 'not_permitted' });
  });
});
