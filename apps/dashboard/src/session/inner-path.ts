/** Screens that had addresses without an account. */
const SCREENS = ['deployments', 'api-keys', 'playground', 'usage', 'activity', 'members'];
const NO_ACCOUNTS = ['sign-in', 'join'];
const NEXT = 'slipway.next';

/** A path of this dashboard; everything else, such as another site's address, becomes its first page. */
export function innerPath(wanted: string | undefined): string {
  if (wanted === undefined || !/^\/(?![/\\])/.test(wanted) || /[\\\p{Cc}]/u.test(wanted)) return '/';
  return /^\/(?:sign-in|join)\b/.test(wanted) ? '/' : wanted;
}

const first = (path: string): string => path.split('/')[1] ?? '';

/** The account that a path names; undefined where it names none. */
export function accountIn(path: string): string | undefined {
  const slug = first(path);
  return /^[a-z][a-z0-9-]{1,38}[a-z0-9]$/.test(slug) && !NO_ACCOUNTS.includes(slug) ? slug : undefined;
}

/** Whether a path may be one of before, when none named its account. */
export const isOldPath = (path: string): boolean => SCREENS.includes(first(path));

/** Remembers where to go on after a sign-in that leaves this page, in this tab. */
export const keepNext = (next: string): void => sessionStorage.setItem(NEXT, next);

/** Where to go on after a sign-in that left this page, once; `/` where nothing was remembered. */
export function takeNext(): string {
  const next = innerPath(sessionStorage.getItem(NEXT) ?? undefined);
  sessionStorage.removeItem(NEXT);
  return next;
}
