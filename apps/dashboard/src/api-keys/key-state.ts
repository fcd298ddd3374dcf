import type { KeyView } from '@slipway/contracts';
import type { StatusLook } from '../ui/status.js';

const DAY_MS = 86_400_000;
const EXPIRING_DAYS = 7;

/** The state of a key as lists show it: `expiring` = active, and it ends within a week. */
export type KeyStanding = 'active' | 'expiring' | 'expired' | 'revoked';

/** In the order in which filters offer them. */
export const STANDINGS: readonly KeyStanding[] = ['active', 'expiring', 'expired', 'revoked'];

/** Words and looks of each state. */
export const STANDING_WORDS: Readonly<Record<KeyStanding, { readonly text: string; readonly look: StatusLook }>> = {
  active: { text: 'Active', look: 'good' },
  expiring: { text: 'Expiring', look: 'warn' },
  expired: { text: 'Expired', look: 'bad' },
  revoked: { text: 'Revoked', look: 'plain' },
};

/** The state of a key now. */
export function standingOf({ state, expires_at: expiresAt }: Pick<KeyView, 'state' | 'expires_at'>, now: number): KeyStanding {
  if (state !== 'active') return state;
  if (expiresAt == null) return 'active';
  const left = Date.parse(expiresAt) - now;
  if (left <= 0) return 'expired';
  return left < EXPIRING_DAYS * DAY_MS ? 'expiring' : 'active';
}

export type ExpiryChoice = '30' | '90' | '365' | 'never' | 'date';

/** What is wrong with the day on which a key ends; null = nothing. @param day `2027-03-01` */
export function faultOfDay(day: string, now: number): string | null {
  const end = endOfDay(day);
  if (Number.isNaN(end)) return 'Choose a day.';
  return end > now ? null : 'Choose a day in the future.';
}

/** NaN for what is no day of the calendar. */
function endOfDay(day: string): number {
  const end = Date.parse(`${day}T23:59:59Z`);
  return Number.isNaN(end) || new Date(end).toISOString().slice(0, 10) === day ? end : Number.NaN;
}

/** When a key ends; null = never. @param day for `date`: the last day of UTC on which it works, without a fault */
export function expiryOf(choice: ExpiryChoice, day: string, now: number): string | null {
  if (choice === 'never') return null;
  return new Date(choice === 'date' ? endOfDay(day) : now + Number(choice) * DAY_MS).toISOString();
}

/** Whether something relies on a key: it was used in the last 24 hours, or its use is not known. */
export const isInUse = ({ last_used_at: at }: Pick<KeyView, 'last_used_at'>, now: number): boolean =>
  at === undefined || (at !== null && now - Date.parse(at) < DAY_MS);

export type KeyAction = 'rename' | 'limits' | 'access' | 'expiry' | 'rotate' | 'revoke';

export const ACTION_WORDS: Readonly<Record<KeyAction, string>> = {
  rename: 'Rename',
  limits: 'Limits',
  access: 'Access',
  expiry: 'Expiry',
  rotate: 'Rotate',
  revoke: 'Revoke',
};

/** What can be done with a key: a revoked one stays so, and an expired one gets a new expiry by rotation alone. */
export function actionsOf({ state }: Pick<KeyView, 'state'>): readonly KeyAction[] {
  if (state === 'revoked') return ['rename'];
  if (state === 'expired') return ['rename', 'limits', 'access', 'rotate', 'revoke'];
  return ['rename', 'limits', 'access', 'expiry', 'rotate', 'revoke'];
}

/** Who made a key: an email address or a role; null = not recorded. */
export function ownerOf(by: KeyView['created_by']): string | null {
  if (by == null) return null;
  return by.name ?? { user: 'A person', key: 'An agent', ops: 'The operator' }[by.actor];
}

/** The other key that works and has this name, if there is one: commands that name a key then need its number. */
export function twinOf<K extends Pick<KeyView, 'name' | 'state'> & { readonly id: number }>(
  keys: readonly K[],
  name: string,
  except?: number,
): K | undefined {
  const wanted = name.trim().toLocaleLowerCase();
  return keys.find((key) => key.id !== except && key.state !== 'revoked' && key.name.trim().toLocaleLowerCase() === wanted);
}
