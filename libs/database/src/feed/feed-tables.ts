const FEED_NAME = /^[a-z]{1,20}$/;

/** Names of a feed's tables and of its NOTIFY channel. */
export interface FeedTables {
  readonly outbox: string;
  readonly change: string;
  readonly head: string;
  readonly reader: string;
  readonly channel: string;
}

/** Names for a feed. @throws TypeError when its name cannot be part of an SQL name. */
export function feedTables(feed: string): FeedTables {
  if (!FEED_NAME.test(feed)) throw new TypeError('The name of a feed has 1 to 20 lower-case letters.');
  return {
    outbox: `${feed}_feed_outbox`,
    change: `${feed}_feed_change`,
    head: `${feed}_feed_head`,
    reader: `${feed}_feed_reader`,
    channel: `${feed}_feed`,
  };
}

/**
 * Statements that make a feed's tables; for the `up` of a migration.
 * The table of readers' claims is unlogged: after a crash of the server no reader counts as alive.
 */
export function createFeedTables(feed: string): string[] {
  const { outbox, change, head, reader } = feedTables(feed);
  const columns = `op text NOT NULL CHECK (op IN ('put', 'del')), record text NOT NULL, ver bigint NOT NULL, body jsonb`;
  return [
    `CREATE TABLE ${outbox} (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${columns})`,
    `CREATE TABLE ${change} (epoch text NOT NULL, seq bigint NOT NULL, ticket bigint NOT NULL, ${columns}, PRIMARY KEY (epoch, seq))`,
    `CREATE INDEX ${change}_ticket ON ${change} (ticket)`,
    `CREATE TABLE ${head} (one boolean PRIMARY KEY DEFAULT true CHECK (one), epoch text NOT NULL, seq bigint NOT NULL, kept_after bigint NOT NULL)`,
    `CREATE UNLOGGED TABLE ${reader} (reader text PRIMARY KEY, asks bigint NOT NULL, epoch text, seq bigint NOT NULL) WITH (fillfactor = 50)`,
  ];
}

/** The NOTIFY channel on which each commit that records a change of the feed is announced. */
export const feedChannel = (feed: string): string => feedTables(feed).channel;

/** Names of the tables that `createFeedTables` makes. */
export function feedTableNames(feed: string): string[] {
  const { outbox, change, head, reader } = feedTables(feed);
  return [outbox, change, head, reader];
}

/** Statements that drop a feed's tables; for the `down` of a migration. */
export const dropFeedTables = (feed: string): string[] => feedTableNames(feed).map((table) => `DROP TABLE ${table}`);
