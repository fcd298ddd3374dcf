import { z } from 'zod';

/** How long what it says holds, in milliseconds: RFC 9116 wants less than a year. */
const LIFE_MS = 180 * 86_400_000;

/** Variables of services that strangers reach. */
export const securityFragment = {
  /** Whom they tell of a fault that concerns security: a page or an address for mail. Absent = nobody is named. */
  SECURITY_CONTACT: z
    .string()
    .regex(/^(https:\/\/[^\s/]+\S*|mailto:[^\s@]+@[^\s@]+)$/, 'must be an https: or mailto: address, like mailto:security@example.com')
    .optional(),
};

/** `/.well-known/security.txt` after RFC 9116. @param now milliseconds since the epoch */
export function securityText(contact: string, now: number = Date.now()): string {
  return `Contact: ${contact}\r\nExpires: ${new Date(now + LIFE_MS).toISOString()}\r\n`;
}
