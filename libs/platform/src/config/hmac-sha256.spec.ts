import { createHmac, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { HmacSha256 } from './hmac-sha256.js';

describe('HmacSha256', () => {
  it('gives the value of RFC 4231', () => {
    expect(new HmacSha256(Buffer.from('Jefe')).digest('what do ya want for nothing?').toString('hex')).toBe(
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    );
  });

  it.each([0, 32, 63, 64, 65, 200])('agrees with createHmac under a secret of %i bytes', (bytes) => {
    const secret = randomBytes(bytes);
    const mac = new HmacSha256(secret);
    // A shorter text after a longer one: nothing of the longer one is left.
    for (const text of ['x'.repeat(513), 'x'.repeat(512), 'é€😀'.repeat(128), '', 'svc_dep_key', '\ud800']) {
      expect(mac.digest(text), `${text.length} units`).toEqual(createHmac('sha256', secret).update(text).digest());
    }
  });
});
