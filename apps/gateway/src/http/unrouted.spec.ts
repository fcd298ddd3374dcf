import type { IncomingHttpHeaders } from 'node:http';
import type { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { SURFACES } from '../surfaces/surfaces.js';
import { explainUnrouted, wrongBaseUrl, pathOf } from './unrouted.js';

const BASE = 'https://api.example';
const DIRECTIONS = { surfaces: SURFACES, baseUrl: BASE };
const explain = (method: string, url: string, headers: IncomingHttpHeaders = {}): ServiceError =>
  explainUnrouted({ method, url, headers }, DIRECTIONS);

/** Clients that add /v1 take one base URL, those that do not the other. */
const expectBoth = (message: string, deployment: string): void => {
  expect(message).toMatch(/base URL to https/);
  expect(message).toContain(`${BASE}${deployment}/v1).`.slice(0, -2));
  expect(message.replaceAll(`${BASE}${deployment}/v1`, '')).toContain(`${BASE}${deployment}`);
};

describe('a request that no route takes', () => {
  it.each(['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'TRACE'])('with %s on an endpoint names its method', (method) => {
    const paths = [
      '/deployment-1/v1/chat/completions',
      '/acme/demo/v1/chat/completions',
      '/deployment-1/v1/messages',
      '/acme/demo/v1/messages',
      '/deployment-1/v1/messages/count_tokens',
      '/acme/demo/v1/messages/count_tokens',
    ];
    for (const path of paths) {
      expect(explain(method, path)).toMatchObject({ code: 'method_not_allowed', facts: { allow: 'POST' } });
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('with %s on models names its methods', (method) => {
    for (const path of [
      '/deployment-1/v1/models',
      '/acme/demo/v1/models',
      '/deployment-1/v1/models/deployment-1',
      '/acme/demo/v1/models/x',
    ]) {
      const error = explain(method, path);
      expect(error).toMatchObject({ code: 'method_not_allowed', message: 'Use GET or HEAD here.', facts: { allow: 'GET, HEAD' } });
    }
  });

  it.each([
    ['/models', '/deployment-<id>'],
    ['/deployment-7/models', '/deployment-7'],
    ['/acme/demo/v1/v1/models', '/acme/demo'],
    ['/deployment-7/v1/models/', '/deployment-7'],
  ])('on %s gets messages clients their base URL', (path, deployment) => {
    const error = explain('GET', path, { 'anthropic-version': '2023-06-01' });
    expect(error.code).toBe('not_found');
    expectBoth(error.message, deployment);
  });

  it.each(['/livez', '/readyz', '/openapi.json'])('with POST on open %s names its methods', (path) => {
    expect(explain('POST', path)).toMatchObject({ code: 'method_not_allowed', facts: { allow: 'GET, HEAD' } });
  });

  it.each([
    ['/v1/chat/completions', 'https://api.example/deployment-<id>/v1'],
    ['/chat/completions', 'https://api.example/deployment-<id>/v1'],
    ['/deployment-7/chat/completions', 'https://api.example/deployment-7/v1'],
    ['/acme/demo/chat/completions', 'https://api.example/acme/demo/v1'],
    ['/deployment-7/v1/chat/completions/chat/completions', 'https://api.example/deployment-7/v1'],
    ['/deployment-7/v1/chat/completions/', 'https://api.example/deployment-7/v1'],
    ['/deployment-7/v1//chat/completions', 'https://api.example/deployment-<id>/v1'],
    ['/v1/models', 'https://api.example/deployment-<id>/v1'],
    ['/models?limit=1', 'https://api.example/deployment-<id>/v1'],
    ['/deployment-7/models', 'https://api.example/deployment-7/v1'],
    ['/acme/demo/models/demo', 'https://api.example/acme/demo/v1'],
    ['/deployment-7/v1/v1/models', 'https://api.example/deployment-7/v1'],
    ['/deployment-7/v1/models/', 'https://api.example/deployment-7/v1'],
    ['/deployment-7/v1//models', 'https://api.example/deployment-<id>/v1'],
  ])('on %s names the base URL to set', (path, baseUrl) => {
    const error = explain('POST', path);
    expect(error.code).toBe('not_found');
    expect(error.message).toMatch(/[^.]\.$/);
    expect(error.message).toContain(`base URL to ${baseUrl}.`);
    expect(error.message).toContain(`A client that adds /v1 itself takes ${baseUrl.slice(0, -3)} `);
  });

  it.each([
    ['/v1/messages', '/deployment-<id>'],
    ['/messages', '/deployment-<id>'],
    ['/deployment-7/messages', '/deployment-7'],
    ['/acme/demo/messages', '/acme/demo'],
    ['/deployment-7/v1/v1/messages', '/deployment-7'],
    ['/deployment-7/v1/messages/', '/deployment-7'],
    ['/deployment-7/v1//messages', '/deployment-<id>'],
    ['/deployment-7/v1/v1/messages/count_tokens?beta=true', '/deployment-7'],
    ['/acme/demo/messages/count_tokens', '/acme/demo'],
    ['/v1/messages/count_tokens', '/deployment-<id>'],
  ])('on %s names the base URL for messages', (path, deployment) => {
    const error = explain('POST', path);
    expect(error.code).toBe('not_found');
    expectBoth(error.message, deployment);
  });

  it.each([
    ['/deployment-7/messages', 'this client adds none, so set its base URL to https://api.example/deployment-7/v1.'],
    ['/messages', 'this client adds none, so set its base URL to https://api.example/deployment-<id>/v1.'],
    ['/v1/messages', "Set the client's base URL to https://api.example/deployment-<id> (in the AI SDK"],
  ])('on %s follows the client’s contract', (path, words) => {
    expect(explain('POST', path).message).toContain(words);
  });

  it('near messages names that endpoint', () => {
    expect(explain('POST', '/v2/x/y/messages').message).toContain(`POST ${BASE}/deployment-<id>/v1/messages.`);
  });

  it.each([
    ['/v1/responses', 'https://api.example/deployment-<id>/v1'],
    ['/deployment-7/responses', 'https://api.example/deployment-7/v1'],
    ['/acme/demo/responses', 'https://api.example/acme/demo/v1'],
    ['/deployment-7/v1/v1/responses', 'https://api.example/deployment-7/v1'],
    ['/deployment-7/v1/responses/', 'https://api.example/deployment-7/v1'],
  ])('on %s names the base URL for responses', (path, baseUrl) => {
    const error = explain('POST', path);
    expect(error.code).toBe('not_found');
    expect(error.message).toContain(`base URL to ${baseUrl}.`);
  });

  it.each(['resp_1/cancel', 'input_tokens', 'compact'])('for responses/%s says what to send instead', (below) => {
    expect(explain('POST', `/deployment-7/v1/responses/${below}`).message).toMatch(/in the background|counts them|ordinary request/);
  });

  it.each(['/v2/deployment-7/chat', '/', '/metrics', '/DEPLOYMENT-7/V1/CHAT/COMPLETIONS'])('on %s names the endpoint', (path) => {
    expect(explain('POST', path).message).toContain('POST https://api.example/deployment-<id>/v1/chat/completions');
  });

  it('never gets a hostile path back', () => {
    expect(explain('POST', '/<script>/v1/responses').message).not.toContain('script');
    expect(explain('POST', `/${'a'.repeat(9_000)}/b/v1/responses`).message.length).toBeLessThan(500);
  });
});

describe('a wrong base URL', () => {
  it.each(['/v1/v1/chat/completions', '/deployment-7/v1/v1/chat/completions', '/v1/v1/messages', '/acme/v1/v1/messages'])(
    'is explained for the path %s',
    (path) => {
      expect(wrongBaseUrl({ url: path, headers: {} }, DIRECTIONS)?.message).toContain('/v1 twice');
    },
  );

  it('is not seen in a right one', () => {
    expect(wrongBaseUrl({ url: '/deployment-7/v1/chat/completions', headers: {} }, DIRECTIONS)).toBeNull();
    expect(wrongBaseUrl({ url: '/acme/demo/v1/chat/completions?x=/v1/v1/', headers: {} }, DIRECTIONS)).toBeNull();
  });
});

describe('the path of a target', () => {
  it.each([
    ['/a?b=c', '/a'],
    ['http://evil/a/b?x', '/a/b'],
    ['HTTPS://evil', '/'],
    ['/a#b', '/a'],
    ['', '/'],
  ])('of %s is %s', (target, path) => {
    expect(pathOf(target)).toBe(path);
  });
});
