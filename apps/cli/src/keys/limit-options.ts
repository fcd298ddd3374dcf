import { Limits } from '@slipway/contracts';
import { Option } from 'commander';
import { NONE, nullable, wholeOr } from '../values.js';

type LimitName = keyof Limits;

/** Values of `LIMIT_OPTIONS`, by the names that commander gives them. */
export type LimitValues = Readonly<Record<string, number | typeof NONE | undefined>>;

const limitOption = (name: LimitName, about: string): readonly [LimitName, Option] => [
  name,
  new Option(`--${name.replaceAll('_', '-')} <N>`, about).argParser(wholeOr(NONE, Limits.shape[name])),
];

const OPTIONS = [
  limitOption('requests_per_minute', 'requests per minute'),
  limitOption('tokens_per_minute', 'tokens of prompts and answers per minute'),
  limitOption('concurrent_requests', 'requests at once'),
  limitOption('tokens_per_day', 'token budget per UTC day'),
  limitOption('tokens_per_month', 'token budget per UTC month'),
];

/** Options of commands that set limits. */
export const LIMIT_OPTIONS: readonly Option[] = OPTIONS.map(([, option]) => option);

/** What the options change: a number sets a limit, null removes it. */
export const limitChanges = (values: LimitValues): Partial<Record<LimitName, number | null>> =>
  Object.fromEntries(
    OPTIONS.flatMap(([name, option]) => {
      const value = values[option.attributeName()];
      return value === undefined ? [] : [[name, nullable(value)]];
    }),
  );

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
