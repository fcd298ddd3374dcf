import { describe, expect, it } from 'vitest';
import { newRefreshToken, newSessionId, readRefreshToken } from './secrets.js';

describe('a refresh token', () => {
  it('names its session and differs each time', () => {
    const session = newSessionId();
    const tokens = Array.from({ length: 50 }, () => newRefreshToken(session));
    expect(new Set(tokens.map(({ token }) => token)).size).toBe(50);
    for (const { token, hash } of tokens) expect(readRefreshToken(token)).toEqual({ session, hash });
  });

  it.each(['', '.', 'a.b', `${'a'.repeat(22)}.${'b'.repeat(42)}`, `${'a'.repeat(22)}.${'b'.repeat(43)}\n`, 'x'.repeat(200)])(
    'is not %j, without asking the database',
    (text) => {
      expect(readRefreshToken(text)).toBeNull();
    },
  );
});
