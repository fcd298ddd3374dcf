import type { AccountQuotas, AuditEntry, Limits } from '@slipway/contracts';

/**
 * What a change of limits or quotas changed, each as "before → after", as the audit log keeps it.
 * @param unset the word for one that is not set
 */
export function limitFacts(before: Limits | AccountQuotas, after: Limits | AccountQuotas, unset: 'none' | 'default'): AuditEntry['facts'] {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))];
  const names = new Set([...was.keys(), ...is.keys()]);
  const changed = [...names].filter((name) => was.get(name) !== is.get(name));
  return Object.fromEntries(changed.map((name) => [name, `${was.get(name) ?? unset} → ${is.get(name) ?? unset}`]));
}
