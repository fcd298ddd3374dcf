import { randomInt } from 'node:crypto';

const ALPHANUMERIC = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const ID_CHARS = 24;

/**
 * An id for a call that has none, in a form that templates and clients take.
 * @param length where a family of templates takes ids of this length only, which then have no prefix.
 */
export function newCallId(length?: number): string {
  const chars = Array.from({ length: length ?? ID_CHARS }, () => ALPHANUMERIC.charAt(randomInt(ALPHANUMERIC.length))).join('');
  return length === undefined ? `call_${chars}` : chars;
}
