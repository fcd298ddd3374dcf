/** Timeouts of one connection, enforced by server and client, because a suspended server cannot enforce its own. */
export const clientTimeouts = {
  connectionTimeoutMillis: 1_000,
  query_timeout: 1_000,
  statement_timeout: 800,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const;

/**
 * Options of every connection. By default PostgreSQL searches unqualified names in `"$user", public`: for a role with the name
 * of one of our schemas this would be that schema. `options=` in an address takes precedence.
 */
export const connectionSettings = { ...clientTimeouts, options: '-c search_path=public' } as const;

/** Connections per process and database. */
export const POOL_SIZE = 10;
