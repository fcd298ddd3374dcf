import { describe, expect, it } from 'vitest';
import { contractPath } from './upstream-client.js';

describe('contractPath', () => {
  it.each([
    ['http://h:1', '/v1'],
    ['http://h:1/', '/v1'],
    ['http://h:1/v1', '/v1'],
    ['http://h:1/v1/', '/v1'],
    ['http://h:1/openai', '/openai/v1'],
    ['http://h:1/api/v3', '/api/v3'],
    ['http://h:1/v1/chat/completions', '/v1'],
    ['http://h:1/openai/chat/completions/', '/openai'],
    ['http://h:1/chat/completions', ''],
    ['http://h:1/v1beta/openai/', '/v1beta/openai'],
    ['http://h:1/v1/openai', '/v1/openai'],
    ['http://h:1/client/v4/accounts/7/ai', '/client/v4/accounts/7/ai/v1'],
  ])('reads the base of %s as %s', (url, path) => {
    expect(contractPath(new URL(url))).toBe(path);
  });
});
