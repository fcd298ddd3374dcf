import { accessSync, constants } from 'node:fs';
import { ConfigError } from '@slipway/platform';

/** Settings that give the address of a service's database. */
export interface DatabaseUrlOptions {
  readonly env: string;
  /** Short name of the owning service, such as `keys`. */
  readonly name: string;
  /** Server on which the database may be created: DATABASE_URL. */
  readonly serverUrl?: string | undefined;
  /** The database itself, such as KEYS_DATABASE_URL; takes precedence. */
  readonly databaseUrl?: string | undefined;
}

/** Parses a PostgreSQL address. The error does not quote it, because it contains a password. */
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
 * The address of a service's own database: the given one, or `slipway_{env}_{name}` on the given server.
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

/** Parameters of an address that name files. */
const FILES = ['sslrootcert', 'sslcert', 'sslkey'];

/** Checks that the files that an address names can be read. @throws ConfigError naming those that cannot */
export function checkAddress(url: string): void {
  const { searchParams } = new URL(url);
  const problems = FILES.flatMap((name) => {
    const path = searchParams.get(name);
    if (path === null) return [];
    try {
      accessSync(path, constants.R_OK);
      return [];
    } catch (error) {
      return [`DATABASE_URL, or the own database's: ${name} ${path} cannot be read (${(error as NodeJS.ErrnoException).code})`];
    }
  });
  if (problems.length > 0) throw new ConfigError(problems);
}
