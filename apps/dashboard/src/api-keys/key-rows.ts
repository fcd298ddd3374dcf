import type { KeyView, UsageRow } from '@slipway/contracts';
import { type BudgetName, type BudgetUse, tightestOf, usesOf } from './budget.js';
import { type KeyStanding, ownerOf, standingOf } from './key-state.js';
import { tokensOf } from './use-budget.js';

/** A key with what a list shows of it besides. */
export interface KeyRow extends KeyView {
  readonly standing: KeyStanding;
  readonly owner: string | null;
  /** In the last 30 days; null = not known. */
  readonly requests: number | null;
  readonly tokens: number | null;
  /** The budget of which the largest share is used; null = the key has none, or its use is not known. */
  readonly budget: BudgetUse | null;
}

export interface KeyFacts {
  readonly now: number;
  /** Usage by key of the last 30 days. */
  readonly month: readonly UsageRow[] | null;
  /** Tokens that count for each budget, by key. */
  readonly used: Readonly<Record<BudgetName, ReadonlyMap<number, number> | null>>;
}

/** Keys as the list shows them. A key without usage has used nothing. */
export function rowsOf(keys: readonly KeyView[], { now, month, used }: KeyFacts): readonly KeyRow[] {
  const byKey = new Map(month?.map((row) => [row.key, row]));
  return keys.map((key) => {
    const row = byKey.get(key.id);
    return {
      ...key,
      standing: standingOf(key, now),
      owner: ownerOf(key.created_by),
      requests: month && (row?.requests ?? 0),
      tokens: month && (row ? tokensOf(row) : 0),
      budget: tightestOf(usesOf(key.limits, (name) => (used[name] ? (used[name].get(key.id) ?? 0) : undefined))),
    };
  });
}

/** The value of the access filter for keys that open every deployment. */
export const ALL_DEPLOYMENTS = 'all';

/** What a key opens, as values of the access filter: `all`, or numbers of deployments. */
export const accessOf = ({ deployments }: Pick<KeyView, 'deployments'>): readonly string[] =>
  deployments == null ? [ALL_DEPLOYMENTS] : deployments.map(String);
