/** Bounds of one connection. A stopped server cannot enforce its own, so the client has them too. */
export const clientTimeouts = {
  connectionTimeoutMillis: 1_000,
  query_timeout: 1_000,
  statement_timeout: 800,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const;

/**
 * What every connection is opened with. PostgreSQL looks for unqualified names in `"$user", public`: a role that is
 * called like one of our schemas would find them there once that schema exists. `options=` in an address wins.
 */
export const connectionSettings = { ...clientTimeouts, options: '-c search_path=public' } as const;

/** Connections per process and database. */
export const POOL_SIZE = 10;
