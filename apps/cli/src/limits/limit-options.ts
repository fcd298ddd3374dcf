import { Limits } from '@slipway/contracts';
import { UsageError } from '../cli-errors.js';
import type { OptionSpecs } from '../command.js';
import { type OptionValues, wholeNumber } from '../option-values.js';

type LimitName = keyof Limits;

/** Options of limits, each with the limit that it sets. */
const OPTIONS: Readonly<Record<string, LimitName>> = {
  'requests-per-minute': 'requests_per_minute',
  'tokens-per-minute': 'tokens_per_minute',
  'concurrent-requests': 'concurrent_requests',
  'tokens-per-day': 'tokens_per_day',
  'tokens-per-month': 'tokens_per_month',
};

export const LIMIT_OPTIONS = {
  'requests-per-minute': { value: 'N', about: 'requests per minute' },
  'tokens-per-minute': { value: 'N', about: 'tokens of prompts and answers per minute' },
  'concurrent-requests': { value: 'N', about: 'requests at once' },
  'tokens-per-day': { value: 'N', about: 'token budget per UTC day' },
  'tokens-per-month': { value: 'N', about: 'token budget per UTC month' },
} as const satisfies OptionSpecs;

const NONE = 'none';

/** What the options change: a number sets a limit, null takes it away. @throws UsageError */
export function limitChanges(options: OptionValues): Partial<Record<LimitName, number | null>> {
  const changes: Partial<Record<LimitName, number | null>> = {};
  for (const [option, name] of Object.entries(OPTIONS)) {
    const text = options.text(option);
    if (text === undefined) continue;
    if (text !== NONE && !/^\d+$/.test(text)) throw new UsageError(`--${option} takes a whole number or ${NONE}, not "${text}".`);
    changes[name] = text === NONE ? null : wholeNumber(`--${option}`, text, Limits.shape[name]);
  }
  return changes;
}

/** Limits after the changes. */
export function changedLimits(limits: Limits, changes: Partial<Record<LimitName, number | null>>): Limits {
  const entries = Object.entries({ ...limits, ...changes }).filter((entry): entry is [string, number] => typeof entry[1] === 'number');
  return Limits.parse(Object.fromEntries(entries));
}

/** Limits in words. */
export function limitText(limits: Limits): string {
  const words = Object.entries(limits).map(([name, limit]) => `${limit} ${name.replaceAll('_', ' ')}`);
  return words.length === 0 ? 'no limits' : words.join(', ');
}
