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

/**
 * The address of a service's own database: the one given, or `slipway_{env}_{name}` on the server given.
 * @throws TypeError when neither is given or the address is not one of PostgreSQL.
 */
export function databaseUrl({ env, name, serverUrl, databaseUrl: own }: DatabaseUrlOptions): string {
  if (own !== undefined) return parseDatabaseUrl(own).href;
  if (serverUrl === undefined) throw new TypeError('Set DATABASE_URL, or the address of the own database.');
  const url = parseDatabaseUrl(serverUrl);
  url.pathname = `/slipway_${env}_${name}`;
  return url.href;
}
