import { isAbsent } from './messages.fields.js';
import { readTexts } from './blocks/text-block.js';

/** Some clients describe themselves in the first line of the system prompt, anew each time, which no cached prompt survives. */
const BILLING_LINE = /^x-anthropic-billing-header:[^\n]*\n?/;

/** The texts of the system prompt. @throws ServiceError naming what is wrong. */
export function readSystem(system: unknown): string[] {
  if (isAbsent(system)) return [];
  const texts = readTexts(system, 'system', 'the system prompt').map((text) => text.replace(BILLING_LINE, ''));
  return texts.filter((text) => text !== '');
}
