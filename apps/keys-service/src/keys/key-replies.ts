import type { KeyView } from '@slipway/contracts';
import { isExpired } from './key-expiry.js';
import type { ObeyedChange } from './key-changes.service.js';
import type { StoredKey } from './keys.repository.js';

/** A key as lists show it. */
export function keyView(key: StoredKey): KeyView {
  const { id, name, hint, expiresAt, deployments, limits } = key;
  const state = key.state === 'active' && isExpired(key) ? 'expired' : key.state;
  const created = { created_at: key.createdAt.toISOString(), created_by: key.createdBy };
  const rotated = { rotated_at: key.rotatedAt?.toISOString() ?? null };
  return { id, name, hint, state, ...created, ...rotated, expires_at: expiresAt?.toISOString() ?? null, deployments, limits };
}

/** A new value, in the one reply that shows it. */
export const shownKey = ({ value, key }: { value: string; key: StoredKey }): { id: number; value: string; hint: string } => ({
  id: key.id,
  value,
  hint: key.hint,
});

/** Whether gateways obey a change already. */
export const obedience = ({ propagated, missing }: ObeyedChange): { propagated: boolean; missing: string[] } => ({
  propagated,
  missing: [...missing],
});
