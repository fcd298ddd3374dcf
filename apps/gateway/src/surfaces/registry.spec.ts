import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { SURFACES } from './surfaces.js';

const bodyAt = (path: string): object =>
  JSON.parse(SURFACES.of(path).errors.body(new ServiceError('not_found', 'Nothing.'), 'req_1')) as object;

describe('the public contracts of the gateway', () => {
  it.each(['/deployment-1/v1/messages', '/a/b/v1/messages/count_tokens', '/v1/v1/messages', '/messages/', '/x/y/z/messages'])(
    'have errors on %s in the form of messages',
    (path) => {
      expect(bodyAt(path)).toMatchObject({ type: 'error', request_id: 'req_1' });
    },
  );

  it.each(['/deployment-1/v1/chat/completions', '/', '/v1/embeddings', '/messages/x', '/MESSAGES'])(
    'write errors on %s as the first contract',
    (path) => {
      expect(Object.keys(bodyAt(path))).toEqual(['error']);
    },
  );

  it.each([
    ['/deployment-1/v1/messages', 'POST'],
    ['/acme/demo/v1/messages/count_tokens', 'POST'],
    ['/acme/demo/v1/chat/completions', 'POST'],
    ['/v1/messages', undefined],
    ['/a/b/c/v1/messages', undefined],
    ['/a/v1/messages/', undefined],
    ['/a/v1xmessages', undefined],
  ])('have at %s an endpoint for %s', (path, method) => {
    expect(SURFACES.methodsAt(path)?.join()).toBe(method);
  });
});
