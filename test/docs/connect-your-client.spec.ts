import { readFileSync } from 'node:fs';
import { ERRORS } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { explainUnrouted } from '../../apps/gateway/src/http/unrouted.js';
import { SURFACES } from '../../apps/gateway/src/surfaces/surfaces.js';

const PAGE = readFileSync(new URL('../../docs/connect-your-client.md', import.meta.url), 'utf8');
const GATEWAY = 'http://127.0.0.1:8080';
const DEPLOYMENT = `${GATEWAY}/local/demo`;

/** First sentence of the error for a client with a wrong base URL. @param end what the client appends */
const messageAt = (baseUrl: string, end: string, headers: Record<string, string> = {}): string => {
  const { message } = explainUnrouted(
    { method: 'POST', url: `${baseUrl}${end}`.slice(GATEWAY.length), headers },
    { surfaces: SURFACES, baseUrl: GATEWAY },
  );
  return message.split(/(?<=\.) /)[0]!;
};

describe('what goes wrong when clients are connected', () => {
  it.each([
    ['a messages client with /v1', `${DEPLOYMENT}/v1`, '/v1/messages'],
    ['a chat client without /v1', DEPLOYMENT, '/chat/completions'],
    ['the AI SDK without /v1', DEPLOYMENT, '/messages'],
    ['the gateway alone', GATEWAY, '/v1/messages'],
    ['the gateway alone, for chat', `${GATEWAY}/v1`, '/chat/completions'],
    ['an endpoint as base URL', `${DEPLOYMENT}/v1/chat/completions`, '/chat/completions'],
    ['a slash too many', `${DEPLOYMENT}/v1/`, '/chat/completions'],
    ['a slash at the end', `${DEPLOYMENT}/v1`, '/chat/completions/'],
  ])('gets the error that the page quotes: %s', (_, baseUrl, end) => {
    expect(PAGE).toContain(`\`${messageAt(baseUrl, end)}\``);
  });

  it('has codes that exist', () => {
    const codes = [...PAGE.matchAll(/^\| \d{3} `([a-z_]+)`/gm)].map(([, code]) => code!);
    expect(codes.length).toBeGreaterThan(5);
    for (const code of codes) expect(ERRORS).toHaveProperty(code);
  });
});
