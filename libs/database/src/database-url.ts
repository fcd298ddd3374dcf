import { ConfigError } from '@slipway/platform';

/** The settings from which the address of a service's database follows. */
export interface DatabaseUrlOptions {
  readonly env: string;
  /** Short name of the owning service, such as `keys`. */
  readonly name: string;
  /** A server where databases may be created: DATABASE_URL. */
  readonly serverUrl?: string | undefined;
  /** The database itself, such as KEYS_DATABASE_URL; wins. */
  readonly databaseUrl?: string | undefined;
}

/** Reads a PostgreSQL address; its text stays out of the error, since it holds a password. */
export function parseDatabaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'postgres:' && url?.protocol !== 'postgresql:') {
    throw new TypeError('A database address looks like postgres://user:password@host:5432/database.');
  }
  return url;
}

function checked(text: string, variable: string): URL {
  try {
    return parseDatabaseUrl(text);
  } catch {
    throw new ConfigError([`${variable}: must look like postgres://user:password@host:5432/database`]);
  }
}

/**
 * The address of a service's own database: the one given, or `slipway_{env}_{name}` on the server given.
 * @throws ConfigError when neither is given or the address is not one of PostgreSQL.
 */
export function databaseUrl({ env, name, serverUrl, databaseUrl: own }: DatabaseUrlOptions): string {
  const ownVariable = `${name.toUpperCase()}_DATABASE_URL`;
  if (own !== undefined) return checked(own, ownVariable).href;
  if (serverUrl === undefined) throw new ConfigError([`DATABASE_URL: is not set; or set ${ownVariable}`]);
  const url = checked(serverUrl, 'DATABASE_URL');
  url.pathname = `/slipway_${env}_${name}`;
  return url.href;
}
