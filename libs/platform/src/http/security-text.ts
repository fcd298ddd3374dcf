import { z } from 'zod';

/** Validity in milliseconds: RFC 9116 recommends less than a year. */
const LIFE_MS = 180 * 86_400_000;

/** Variables of services with public endpoints. */
export const securityFragment = {
  /** Contact for security reports: a web page or mail address. Absent = none. */
  SECURITY_CONTACT: z
    .string()
    .regex(/^(https:\/\/[^\s/]+\S*|mailto:[^\s@]+@[^\s@]+)$/, 'must be an https: or mailto: address, like mailto:security@example.com')
    .optional(),
};

/** `/.well-known/security.txt` after RFC 9116. @param now milliseconds since the epoch */
export function securityText(contact: string, now: number = Date.now()): string {
  return `Contact: ${contact}\r\nExpires: ${new Date(now + LIFE_MS).toISOString()}\r\n`;
}
