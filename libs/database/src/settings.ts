/** Bounds of one connection. A stopped server cannot enforce its own, so the client has them too. */
export const clientTimeouts = {
  connectionTimeoutMillis: 1_000,
  query_timeout: 1_000,
  statement_timeout: 800,
  idle_in_transaction_session_timeout: 5_000,
  keepAlive: true,
  keepAliveInitialDelayMillis: 10_000,
} as const;

/** Connections per process and database. */
export const POOL_SIZE = 10;
