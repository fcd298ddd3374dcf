/** What a deployment's part of a path looks like; anything else is not repeated to anybody. */
export const NAMED = '(?:/deployment-[0-9]{1,10}|/[a-z][a-z0-9-]{0,39}/[a-z0-9][a-z0-9._-]{0,62})';

/** The start of a path that names a deployment, or what stands for one. */
export const namedIn = (path: string): string => new RegExp(`^${NAMED}(?=/)`).exec(path)?.[0] ?? '/deployment-<id>';
