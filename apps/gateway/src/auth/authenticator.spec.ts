import { ServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { readCredential } from './authenticator.js';

const KEY = 'svc_dep_one';
const codeOf = (headers: string[]): string | null => {
  try {
    readCredential(headers);
    return null;
  } catch (error) {
    return (error as ServiceError).code;
  }
};

describe('a credential', () => {
  it.each([
    ['X-API-Key', KEY],
    ['x-api-key', KEY],
    ['Authorization', `Bearer ${KEY}`],
    ['authorization', `bearer ${KEY}`],
    ['AUTHORIZATION', `BEARER   ${KEY}`],
  ])('is read from %s: %s', (name, value) => {
    expect(readCredential(['Host', 'x', name, value])).toBe(KEY);
  });

  it('is absent when neither header is there', () => {
    expect(readCredential(['Host', 'x', 'Cookie', `key=${KEY}`])).toBeNull();
  });

  it.each(['Bearer', 'Bearer ', `Basic ${KEY}`, `Token ${KEY}`, `Bearer\t${KEY}`, KEY])('of the form "%s" holds no key', (value) => {
    expect(readCredential(['Authorization', value])).toBe('');
  });

  it('may be the same in both headers', () => {
    expect(readCredential(['X-API-Key', KEY, 'Authorization', `Bearer ${KEY}`])).toBe(KEY);
  });

  it('comes from X-API-Key beside an empty bearer', () => {
    expect(readCredential(['X-API-Key', KEY, 'Authorization', 'Bearer '])).toBe(KEY);
  });

  it.each([
    ['two different keys', ['X-API-Key', KEY, 'Authorization', 'Bearer svc_dep_two']],
    ['a key beside another scheme', ['X-API-Key', KEY, 'Authorization', 'Basic dXNlcjpwYXNz']],
    ['a repeated X-API-Key', ['X-API-Key', KEY, 'x-api-key', KEY]],
    ['a repeated Authorization', ['Authorization', `Bearer ${KEY}`, 'authorization', `Bearer ${KEY}`]],
  ])('that is ambiguous is refused: %s', (_, headers) => {
    expect(codeOf(headers)).toBe('ambiguous_credentials');
  });
});
