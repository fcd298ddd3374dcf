import type { Limits } from '@slipway/contracts';

export type LimitName = keyof Limits;

export const LIMITS: readonly { readonly name: LimitName; readonly label: string }[] = [
  { name: 'requests_per_minute', label: 'Requests per minute' },
  { name: 'tokens_per_minute', label: 'Tokens per minute' },
  { name: 'concurrent_requests', label: 'Concurrent requests' },
  { name: 'tokens_per_day', label: 'Tokens per day' },
  { name: 'tokens_per_month', label: 'Tokens per month' },
];

const MOST = 1_000_000_000_000;

/** The text in the field of each limit. */
export type LimitTexts = Record<LimitName, string>;

export const textsOf = (limits: Limits | undefined): LimitTexts =>
  Object.fromEntries(LIMITS.map(({ name }) => [name, String(limits?.[name] ?? '')])) as LimitTexts;

/** What is wrong with a limit; null = nothing. */
export function faultOfLimit(text: string): string | null {
  const value = Number(text);
  const isGood = text.trim() === '' || (Number.isInteger(value) && value >= 1 && value <= MOST);
  return isGood ? null : 'Enter a whole number of at least 1, or leave it empty for no limit.';
}

/** Texts without faults as limits; empty ones are none. */
export const limitsOf = (texts: LimitTexts): Limits =>
  Object.fromEntries(LIMITS.flatMap(({ name }) => (texts[name].trim() === '' ? [] : [[name, Number(texts[name])] as const])));
