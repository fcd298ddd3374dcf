import type { UsageGroup } from '@slipway/contracts';
import type { USAGE_SEARCH } from '../searches.js';
import type { UsageQuestion } from './read-usage.js';

export type UsageState = ReturnType<typeof USAGE_SEARCH.read>;

/** What is left out of the ledger before it is summed. */
export type UsageFilters = Pick<UsageQuestion, 'keys' | 'deployment' | 'alias' | 'api' | 'status'>;

/** Most keys that one question names. */
export const KEYS_MAX = 500;

/** Filters that hold one value: the last that was chosen. */
const SINGLE = ['deployment', 'alias', 'api', 'status'] as const;
export const FILTERS = [...SINGLE, 'key', 'member'] as const;
export type FilterName = (typeof FILTERS)[number];

/** Several keys and members may be chosen; of all else a later choice replaces the one before. */
export const chosenFilters = (chosen: Readonly<Record<string, readonly string[]>>): Pick<UsageState, FilterName> => {
  const of = (name: FilterName): readonly string[] => chosen[name] ?? [];
  const last = (name: FilterName): readonly string[] => of(name).slice(-1);
  return {
    ...{ deployment: last('deployment'), alias: last('alias'), api: last('api'), status: last('status') },
    ...{ key: of('key'), member: of('member') },
  };
};

const numbersOf = (texts: readonly string[]): readonly number[] => texts.filter((text) => /^[1-9]\d{0,9}$/.test(text)).map(Number);

/**
 * What the ledger is asked by. Null = no key fits, so there is nothing to ask for.
 * @param keysOf numbers of the keys that a person made, newest first
 */
export function filtersOf(state: Pick<UsageState, FilterName>, keysOf: (member: string) => readonly number[]): UsageFilters | null {
  const [deployment] = numbersOf(state.deployment.slice(-1));
  const [alias, api, status] = [state.alias.at(-1), state.api.at(-1), state.status.at(-1)];
  const keys = keysIn(state, keysOf);
  if (keys?.length === 0) return null;
  return {
    ...(keys && { keys: keys.slice(0, KEYS_MAX) }),
    ...(deployment !== undefined && { deployment }),
    ...(alias !== undefined && { alias }),
    ...(api !== undefined && { api }),
    ...(status !== undefined && { status }),
  };
}

/** The keys that are both chosen and of the members chosen; null = all. */
function keysIn({ key, member }: Pick<UsageState, 'key' | 'member'>, keysOf: (member: string) => readonly number[]): number[] | null {
  const chosen = key.length > 0 ? numbersOf(key) : null;
  const own = member.length > 0 ? member.flatMap(keysOf) : null;
  if (chosen === null || own === null) return chosen || own ? [...(chosen ?? own ?? [])] : null;
  return chosen.filter((id) => own.includes(id));
}

/** By what a part is split next, once it is chosen. */
const NEXT: Readonly<Record<UsageGroup, UsageGroup>> = {
  deployment: 'key',
  key: 'deployment',
  alias: 'key',
  api: 'deployment',
  status: 'key',
};

/** The state after a part of a split was chosen: filtered to it, and split by something else. */
export const drilledDown = (group: UsageGroup, values: readonly string[]): Partial<UsageState> => ({
  [group]: group === 'key' ? values : values.slice(-1),
  by: NEXT[group],
});

/** Whether anything is left out. */
export const isFiltered = (state: Pick<UsageState, FilterName>): boolean => FILTERS.some((name) => state[name].length > 0);
