import { expect, it } from 'vitest';
import { z } from 'zod';
import { securityFragment, securityText } from './security-text.js';

it('names the contact and an expiry within a year', () => {
  const now = Date.UTC(2030, 0, 1);
  expect(securityText('mailto:security@example.com', now)).toBe(
    'Contact: mailto:security@example.com\r\nExpires: 2030-06-30T00:00:00.000Z\r\n',
  );
});

it.each([
  ['https://example.com/security', true],
  ['mailto:security@example.com', true],
  ['security@example.com', false],
  ['http://example.com', false],
  ['mailto:a@example.com\r\nContact: https://evil.example', false],
])('takes %j for a contact: %s', (contact, isOne) => {
  expect(z.object(securityFragment).safeParse({ SECURITY_CONTACT: contact }).success).toBe(isOne);
});
