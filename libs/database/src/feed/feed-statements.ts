import type { FeedTables } from './feed-tables.js';

/** The SQL of a feed. Each statement reads one snapshot of the database. */
export interface FeedStatements {
  readonly record: string;
  readonly beginEpoch: string;
  readonly sequence: string;
  readonly trim: string;
  readonly head: string;
  readonly look: string;
  readonly claim: string;
  readonly since: string;
  readonly readers: string;
  readonly forget: string;
  readonly placeOf: string;
}

/** The statements for one feed's tables. */
export function feedStatements(tables: FeedTables): FeedStatements {
  return { ...relayStatements(tables), ...readerStatements(tables) };
}

type RelayStatements = Pick<FeedStatements, 'record' | 'beginEpoch' | 'sequence' | 'trim' | 'placeOf'>;

function relayStatements({ outbox, change, head, channel }: FeedTables): RelayStatements {
  return {
    // NOTIFY is delivered at the commit, so the relay never wakes too early.
    record: `
      WITH written AS (INSERT INTO ${outbox} (op, record, ver, body) VALUES ($1, $2, $3, $4) RETURNING id)
      SELECT id, pg_notify('${channel}', '') FROM written`,
    beginEpoch: `
      WITH begun AS (
        INSERT INTO ${head} (epoch, seq, kept_after) VALUES ($1, 0, 0)
        ON CONFLICT (one) DO UPDATE SET epoch = excluded.epoch, seq = 0, kept_after = 0
      )
      DELETE FROM ${change} WHERE epoch <> $1`,
    // The head must be the one that this process wrote last: otherwise another process was elected, or the database was restored.
    sequence: `
      WITH mine AS (SELECT one FROM ${head} WHERE epoch = $1 AND seq = $2 FOR UPDATE),
      taken AS (
        DELETE FROM ${outbox} WHERE id IN (SELECT id FROM ${outbox} ORDER BY id LIMIT $3) AND EXISTS (SELECT FROM mine)
        RETURNING id, op, record, ver, body
      ),
      numbered AS (
        INSERT INTO ${change} (epoch, seq, ticket, op, record, ver, body)
        SELECT $1, $2 + row_number() OVER (ORDER BY id), id, op, record, ver, body FROM taken
        RETURNING seq, op, record, ver, body
      ),
      moved AS (UPDATE ${head} SET seq = $2 + (SELECT count(*) FROM numbered) WHERE EXISTS (SELECT FROM numbered))
      SELECT mine.one IS NOT NULL AS valid, n.* FROM (SELECT) AS always
      LEFT JOIN mine ON true LEFT JOIN numbered n ON true ORDER BY n.seq`,
    trim: `
      WITH trimmed AS (DELETE FROM ${change} WHERE epoch = $1 AND seq <= $2)
      UPDATE ${head} SET kept_after = $2 WHERE epoch = $1 AND kept_after < $2`,
    // Neither waiting nor kept: it got its place before the head or before this epoch, so snapshots include it.
    placeOf: `
      SELECT h.epoch, CASE
        WHEN EXISTS (SELECT FROM ${outbox} WHERE id = $1) THEN NULL
        ELSE coalesce((SELECT seq FROM ${change} WHERE epoch = h.epoch AND ticket = $1), h.seq)
      END AS seq
      FROM ${head} h`,
  };
}

function readerStatements({ outbox, change, head, reader }: FeedTables): Omit<FeedStatements, keyof RelayStatements> {
  const oldest = `(SELECT id FROM ${outbox} ORDER BY id LIMIT 1) AS waiting`;
  const again = `ON CONFLICT (reader) DO UPDATE SET asks = ${reader}.asks + 1, epoch = excluded.epoch, seq = excluded.seq`;
  return {
    head: `SELECT h.epoch, h.seq, ${oldest} FROM ${head} h`,
    look: `
      SELECT h.epoch, h.seq, ${oldest}, (SELECT coalesce(json_agg(r), '[]') FROM ${reader} r) AS readers
      FROM (SELECT) AS always LEFT JOIN ${head} h ON true`,
    claim: `INSERT INTO ${reader} (reader, asks, epoch, seq) VALUES ($1, 1, $2, $3) ${again}`,
    // A row for each question, in their order. The claims are written in one order everywhere, so that replicas do not deadlock.
    // A claim that a crash of the server loses is made again within a second, so no commit waits for the disk.
    since: `
      WITH unsynced AS (SELECT set_config('synchronous_commit', 'off', true)), asked AS (
        SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS a (reader, epoch, seq, place)
      ),
      claimed AS (
        INSERT INTO ${reader} (reader, asks, epoch, seq) SELECT reader, 1, epoch, seq FROM asked ORDER BY reader
        ${again} RETURNING *
      )
      SELECT a.reader, h.epoch, h.seq, ${oldest}, h.kept_after <= a.seq AS kept,
        (SELECT coalesce(json_agg(c ORDER BY c.seq), '[]') FROM (
          SELECT seq, op, record, ver, body FROM ${change} WHERE epoch = h.epoch AND epoch = a.epoch AND seq > a.seq ORDER BY seq LIMIT $4
        ) AS c) AS changes,
        CASE WHEN $5 AND a.place = 1 THEN (
          SELECT json_agg(r) FROM (
            SELECT * FROM ${reader} WHERE reader NOT IN (SELECT reader FROM asked) UNION ALL SELECT * FROM claimed
          ) AS r
        ) END AS readers
      FROM asked a CROSS JOIN ${head} h CROSS JOIN unsynced ORDER BY a.place`,
    readers: `SELECT reader, asks, epoch, seq FROM ${reader}`,
    forget: `DELETE FROM ${reader} r USING unnest($1::text[], $2::bigint[]) AS gone (reader, asks) WHERE r.reader = gone.reader AND r.asks = gone.asks`,
  };
}
