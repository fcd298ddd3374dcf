/** Takes a lock by its name, unless another session holds it. */
export const TAKE = 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won';

/** Releases a lock by its name. */
export const RELEASE = 'SELECT pg_advisory_unlock(hashtextextended($1, 0))';

/**
 * Ends each session that holds one of these locks and has said nothing for so many milliseconds. Sessions of other roles are passed
 * over: their activity cannot be seen, and they may not be ended.
 */
export const END_SILENT_HOLDERS = `
  SELECT application_name AS application, pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid IN (
    SELECT pid FROM pg_locks
    WHERE locktype = 'advisory' AND objsubid = 1 AND granted
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
      AND (classid::bigint << 32 | objid::bigint) IN (SELECT hashtextextended(name, 0) FROM unnest($1::text[]) AS name))
    AND pg_has_role(usesysid, 'USAGE')
    AND state = 'idle' AND state_change < clock_timestamp() - $2 * interval '1 millisecond'`;
