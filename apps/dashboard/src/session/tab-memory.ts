/** Everything that this tab remembers of signed-in people begins with this. */
const PREFIX = 'slipway.tab.';

const keyOf = (user: number, name: string): string => `${PREFIX}${user}.${name}`;

/** A value that this tab remembers of a person, as it was written; undefined where there is none or it cannot be read. */
export function readTab(user: number, name: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(user, name)) ?? 'null') ?? undefined;
  } catch {
    // Storage may be switched off, and another release may have written something else.
    return undefined;
  }
}

/** Remembers a JSON value until the tab is closed or somebody signs out. @returns false where storage has no room or is switched off */
export function writeTab(user: number, name: string, value: unknown): boolean {
  try {
    sessionStorage.setItem(keyOf(user, name), JSON.stringify(value));
    return true;
  } catch {
    return false;
  }
}

/** Removes what this tab remembers of everybody, as at sign-out. */
export function forgetTab(): void {
  try {
    for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  } catch {
    // Without storage there is nothing to forget.
  }
}
