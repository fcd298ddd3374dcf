import { randomBytes } from 'node:crypto';
import type { Logger } from '@slipway/platform';
import type { EntityManager } from 'typeorm';
import { AdvisoryLock } from '../advisory-lock.js';
import type { LockSession } from '../lock-session.js';
import { queryPrepared, type Transactions } from '../transactions.js';
import { type FeedStatements, feedStatements } from './feed-statements.js';
import { feedTables } from './feed-tables.js';
import { Gathered } from './gathered.js';

/** A new connection is used once so many statements wait for each that is used. */
const WAITING_EACH = 8;
/** A statement that has run for so long may hang, so further ones do not wait for it; in milliseconds. */
const SLOW_MS = 100;

/**
 * Runs the statements of a process's feeds on one connection while they are few. The processes of a machine ask in the same
 * moment, and each connection that this occupied would cost a backend of PostgreSQL.
 */
export class FeedReads {
  #running = 0;
  #startedAt = Number.NEGATIVE_INFINITY;
  readonly #waiting: (() => void)[] = [];

  /** Runs `statement` in its turn. */
  async run<T>(statement: () => Promise<T>): Promise<T> {
    if (this.#isCrowded()) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#running += 1;
    this.#startedAt = performance.now();
    try {
      return await statement();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running -= 1;
    }
  }

  #isCrowded(): boolean {
    return this.#running > 0 && this.#waiting.length < WAITING_EACH * this.#running && performance.now() - this.#startedAt < SLOW_MS;
  }
}

/** Questions of readers that one statement answers. */
const QUESTIONS_MOST = 50;
/** Changes kept for readers that reconnect. */
const KEPT_CHANGES = 10_000;
/** Excess changes from which they are deleted. */
const TRIM_STEP = 1_000;

/** What a `SqlFeedStore` needs. */
export interface SqlFeedStoreOptions {
  /** Name of the feed, as in its contract. */
  readonly feed: string;
  /** Holds the lock of the feed's relay. */
  readonly locks: LockSession;
  readonly transactions: Transactions;
  /** Shared by the feeds of a database. */
  readonly reads: FeedReads;
  readonly log: Logger;
}

type Operation = 'put' | 'del';

interface ChangeRow {
  readonly seq: string | number;
  readonly op: Operation;
  readonly record: string;
  readonly ver: string | number;
  readonly body: unknown;
}

interface HeadRow {
  readonly epoch: string;
  readonly seq: string;
  readonly waiting: string | null;
}

interface SinceRow extends HeadRow {
  readonly reader: string;
  readonly kept: boolean;
  readonly changes: ChangeRow[];
  readonly readers: ReaderRow[] | null;
}

interface ReaderRow {
  readonly reader: string;
  readonly asks: string | number;
  readonly epoch: string | null;
  readonly seq: string | number;
}

interface Change<R> {
  readonly seq: number;
  readonly op: Operation;
  readonly id: string;
  readonly ver: number;
  readonly rec?: R | undefined;
}

interface Question {
  readonly claim: FeedClaim;
  readonly limit: number;
  readonly withReaders: boolean;
}

interface SinceAnswer<R> {
  readonly head: ReturnType<typeof headOf>;
  readonly kept: boolean;
  readonly changes: readonly Change<R>[];
  readonly readers: readonly ReturnType<typeof claimOf>[] | null;
}

interface FeedClaim {
  readonly reader: string;
  readonly epoch: string | null;
  readonly seq: number;
}

interface Events {
  elected(): void;
  deposed(): void;
  committed(): void;
  interrupted(): void;
}

/**
 * Stores a feed in PostgreSQL: outbox, changes with their sequences, head, and the claims of its readers. The relay's statement
 * runs on the session that holds the feed's advisory lock. It moves the head only if this process wrote it last.
 * @typeParam R the feed's record type; records are returned as they were written.
 */
export class SqlFeedStore<R> {
  readonly #options: SqlFeedStoreOptions;
  readonly #sql: FeedStatements;
  readonly #channel: string;
  #lock: AdvisoryLock | undefined;
  #tenure: { epoch: string; seq: number; keptAfter: number } | null = null;
  readonly #questions: Gathered<Question, SinceAnswer<R> | null>;

  constructor(options: SqlFeedStoreOptions) {
    this.#options = options;
    const tables = feedTables(options.feed);
    this.#sql = feedStatements(tables);
    this.#channel = tables.channel;
    const { reads, transactions } = options;
    const answer = (questions: readonly Question[]) => transactions.read((connection) => this.#answer(questions, connection));
    this.#questions = new Gathered((take) => reads.run(() => answer(take())), QUESTIONS_MOST);
  }

  /** Takes part in the election until `close`. Each election begins a new random epoch at sequence 0. */
  open(events: Events): void {
    const { locks, feed } = this.#options;
    this.#lock = new AdvisoryLock({
      session: locks,
      name: `feed.${feed}`,
      channel: this.#channel,
      connected: () => events.interrupted(),
      notified: () => events.committed(),
      acquired: async () => {
        await this.#beginEpoch();
        events.elected();
      },
      lost: () => {
        this.#tenure = null;
        events.interrupted();
        events.deposed();
      },
    });
    this.#lock.start();
  }

  async close(): Promise<void> {
    await this.#lock?.stop();
  }

  /** Writes a change into the caller's transaction, after the rows that it describes. */
  async record(tx: EntityManager, change: { op: Operation; id: string; ver: number; rec?: R }): Promise<string> {
    const body = change.rec === undefined ? null : JSON.stringify(change.rec);
    const [row] = await tx.query<{ id: string }[]>(this.#sql.record, [change.op, change.id, change.ver, body]);
    if (row === undefined) throw new Error('The outbox returned no ticket.');
    return row.id;
  }

  /** Assigns the next sequences to waiting changes, oldest first; null when this replica's epoch is over. */
  async sequence(limit: number): Promise<{ epoch: string; seq: number; changes: Change<R>[] } | null> {
    const tenure = this.#tenure;
    if (tenure === null || this.#lock === undefined) return null;
    const rows = await this.#lock.query<ChangeRow & { valid: boolean }>(this.#sql.sequence, [tenure.epoch, tenure.seq, limit]);
    if (tenure !== this.#tenure) return null;
    if (rows[0]?.valid !== true) {
      this.#options.log.warn({ feed: this.#options.feed, epoch: tenure.epoch }, 'feed.head_moved');
      await this.#beginEpoch();
      return { epoch: this.#epoch(), seq: 0, changes: [] };
    }
    const changes = rows.filter((row) => row.op !== null).map((row) => this.#change(row));
    tenure.seq += changes.length;
    await this.#trim(tenure);
    return { epoch: tenure.epoch, seq: tenure.seq, changes };
  }

  /** The newest place; null before the first epoch. */
  async head(): Promise<{ epoch: string; seq: number; oldestWaiting: string | null } | null> {
    const [row] = await this.#read<HeadRow>(this.#sql.head);
    return row === undefined ? null : headOf(row);
  }

  /** Head and claims in one snapshot; the head is null before the first epoch. */
  async look() {
    const [row] = await this.#read<{ [K in keyof HeadRow]: HeadRow[K] | null } & { readers: ReaderRow[] }>(this.#sql.look);
    const { epoch = null, seq = null, waiting = null, readers = [] } = row ?? {};
    return { head: epoch === null || seq === null ? null : headOf({ epoch, seq, waiting }), readers: readers.map(claimOf) };
  }

  /** Stores the reader's claim, then reads head and changes in one snapshot; null before the first epoch. */
  since(claim: FeedClaim, limit: number, withReaders: boolean): Promise<SinceAnswer<R> | null> {
    return this.#questions.ask({ claim, limit, withReaders });
  }

  /** Answers questions with one statement. A reader that asked twice meanwhile claims its latest place, and both get the same answer. */
  async #answer(questions: readonly Question[], connection: EntityManager): Promise<(SinceAnswer<R> | null)[]> {
    const claims = new Map(questions.map(({ claim }) => [claim.reader, claim]));
    const readers = [...claims.keys()];
    const epochs = [...claims.values()].map(({ epoch }) => epoch);
    const seqs = [...claims.values()].map(({ seq }) => seq);
    const limit = Math.max(...questions.map((question) => question.limit));
    const asker = questions.find(({ withReaders }) => withReaders);
    const statement = { name: `${this.#options.feed} since`, text: this.#sql.since };
    const rows = await queryPrepared<SinceRow>(connection, statement, [readers, epochs, seqs, limit, asker !== undefined]);
    const answers = new Map(rows.map((row) => [row.reader, this.#sinceOf(row)]));
    const known = rows[0]?.readers?.map(claimOf) ?? null;
    return questions.map((question) => {
      const answer = answers.get(question.claim.reader);
      return answer === undefined ? null : { ...answer, readers: question === asker ? known : null };
    });
  }

  #sinceOf(row: SinceRow): Omit<SinceAnswer<R>, 'readers'> {
    return { head: headOf(row), kept: row.kept, changes: row.changes.map((change) => this.#change(change)) };
  }

  /** Registers a reader that has applied nothing yet. */
  async welcome(reader: string): Promise<void> {
    await this.#read(this.#sql.claim, [reader, null, 0]);
  }

  /** All stored claims. */
  async readers(): Promise<{ reader: string; asks: number; epoch: string | null; seq: number }[]> {
    return (await this.#read<ReaderRow>(this.#sql.readers)).map(claimOf);
  }

  /** Deletes the claims of readers that have not asked again since `asks`. */
  async forget(gone: readonly { readonly reader: string; readonly asks: number }[]): Promise<void> {
    await this.#read(this.#sql.forget, [gone.map(({ reader }) => reader), gone.map(({ asks }) => asks)]);
  }

  /** The place of a change; null while it waits for its sequence. */
  async placeOf(ticket: string): Promise<{ epoch: string; seq: number } | null> {
    const [row] = await this.#read<{ epoch: string; seq: string | null }>(this.#sql.placeOf, [ticket]);
    return row === undefined || row.seq === null ? null : { epoch: row.epoch, seq: Number(row.seq) };
  }

  async #beginEpoch(): Promise<void> {
    const epoch = randomBytes(12).toString('base64url');
    await this.#lock?.query(this.#sql.beginEpoch, [epoch]);
    this.#tenure = { epoch, seq: 0, keptAfter: 0 };
    this.#options.log.info({ feed: this.#options.feed, epoch }, 'feed.epoch_begun');
  }

  async #trim(tenure: { epoch: string; seq: number; keptAfter: number }): Promise<void> {
    const keptAfter = tenure.seq - KEPT_CHANGES;
    if (keptAfter - tenure.keptAfter < TRIM_STEP) return;
    await this.#lock?.query(this.#sql.trim, [tenure.epoch, keptAfter]);
    tenure.keptAfter = keptAfter;
  }

  #epoch(): string {
    return this.#tenure?.epoch ?? '';
  }

  #change({ seq, op, record, ver, body }: ChangeRow): Change<R> {
    // Not checked here: readers check messages against the contract.
    return { seq: Number(seq), op, id: record, ver: Number(ver), ...(body !== null && { rec: body as R }) };
  }

  #read<T>(sql: string, parameters: unknown[] = []): Promise<T[]> {
    const { reads, transactions } = this.#options;
    return reads.run(() => transactions.read((connection) => connection.query<T[]>(sql, parameters)));
  }
}

const headOf = ({ epoch, seq, waiting }: HeadRow): { epoch: string; seq: number; oldestWaiting: string | null } => ({
  epoch,
  seq: Number(seq),
  oldestWaiting: waiting,
});

const claimOf = ({ reader, asks, epoch, seq }: ReaderRow): { reader: string; asks: number; epoch: string | null; seq: number } => ({
  reader,
  asks: Number(asks),
  epoch,
  seq: Number(seq),
});
