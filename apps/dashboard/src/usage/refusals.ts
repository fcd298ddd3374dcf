import type { UsageRow } from '@slipway/contracts';

/** Requests of one key that ended in one way. */
export interface Refusal {
  /** Name of the key. */
  readonly key: string;
  /** Numbers of the keys of this name, as text. */
  readonly keys: readonly string[];
  readonly code: string;
  readonly requests: number;
  /** Of all requests of the key. */
  readonly share: number;
}

/** Ends that are no error; a request that runs has none yet. */
const FINE = ['completed', 'cancelled', 'running'];

/** What was refused or failed, by key and code, the most frequent first. @param rows by key and status */
export function refusalsOf(rows: readonly UsageRow[], nameOf: (row: Partial<UsageRow>) => string): readonly Refusal[] {
  const all = new Map<string, number>();
  const found = new Map<string, { key: string; keys: Set<string>; code: string; requests: number }>();
  for (const { key: id, status = '', requests } of rows) {
    const key = nameOf({ key: id });
    all.set(key, (all.get(key) ?? 0) + requests);
    if (FINE.includes(status)) continue;
    const one = found.get(`${key}\n${status}`) ?? { key, keys: new Set<string>(), code: status, requests: 0 };
    one.requests += requests;
    if (id !== undefined) one.keys.add(String(id));
    found.set(`${key}\n${status}`, one);
  }
  return [...found.values()]
    .map((one) => ({ ...one, keys: [...one.keys], share: one.requests / (all.get(one.key) ?? one.requests) }))
    .toSorted((a, b) => b.requests - a.requests);
}
