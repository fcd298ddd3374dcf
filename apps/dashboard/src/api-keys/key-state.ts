import type { KeyView } from '@slipway/contracts';
import type { StatusLook } from '../ui/status.js';

const DAY_MS = 86_400_000;
const EXPIRING_DAYS = 7;
/** Longest life that the dashboard gives a key that ends. */
export const MAX_EXPIRY_DAYS = 365;

export interface KeyBadge {
  readonly text: string;
  readonly look: StatusLook;
}

/** The state of a key as lists show it. A key that ends within a week is pointed out. */
export function badgeOf({ state, expires_at: expiresAt }: Pick<KeyView, 'state' | 'expires_at'>, now: number): KeyBadge {
  if (state === 'revoked') return { text: 'Revoked', look: 'plain' };
  if (state === 'expired') return { text: 'Expired', look: 'bad' };
  const soon = expiresAt != null && Date.parse(expiresAt) - now < EXPIRING_DAYS * DAY_MS;
  return soon ? { text: 'Expiring', look: 'warn' } : { text: 'Active', look: 'good' };
}

export type ExpiryChoice = '30' | '90' | '365' | 'never' | 'custom';

/** What is wrong with a number of days that somebody typed; null = nothing. */
export function faultOfDays(text: string): string | null {
  const days = Number(text);
  return /^\d+$/.test(text.trim()) && days >= 1 && days <= MAX_EXPIRY_DAYS
    ? null
    : `Give a whole number of days from 1 to ${MAX_EXPIRY_DAYS}.`;
}

/** When a key ends; null = never. @param days for `custom` */
export function expiryOf(choice: ExpiryChoice, days: string, now: number): string | null {
  if (choice === 'never') return null;
  return new Date(now + Number(choice === 'custom' ? days : choice) * DAY_MS).toISOString();
}

/** Whether somebody relies on a key: used in the last 24 hours, or nobody can say. */
export const isInUse = ({ last_used_at: at }: Pick<KeyView, 'last_used_at'>, now: number): boolean =>
  at === undefined || (at !== null && now - Date.parse(at) < DAY_MS);

export type KeyAction = 'rename' | 'limit' | 'rotate' | 'revoke';

/** What may be done with a key: what is revoked stays so, and what has expired lives on with a new expiry only. */
export const actionsOf = ({ state }: Pick<KeyView, 'state'>): readonly KeyAction[] =>
  state === 'revoked' ? ['rename'] : ['rename', 'limit', 'rotate', 'revoke'];

/** Who made a key; null where nobody can say. */
export function creatorText(by: KeyView['created_by']): string | null {
  if (by == null) return null;
  return by.name ?? { user: 'a person', key: 'an agent', ops: 'the operator' }[by.actor];
}
