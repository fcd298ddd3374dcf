import { setTimeout as delay } from 'node:timers/promises';
import type { Logger, Registry } from '@slipway/platform';
import { Client, type QueryResultRow } from 'pg';
import { AnswerTimeoutError, awakeFor } from './awake-time.js';
import { lockLosses } from './lock-metrics.js';
import { clientTimeouts, connectionSettings } from './settings.js';

/** Pause between two attempts to take the lock, in milliseconds. */
const TRY_MS = 250;
/** Pause between two heartbeats while the lock is held, in milliseconds: three of them fit into `SILENT_MS`. */
const BEAT_MS = 500;
/**
 * Silence after which the server ends the holder's session, in milliseconds: a frozen process, whose kernel keeps the connection
 * open, must not hold the lock for ever.
 */
const SILENT_MS = 2_000;
/**
 * Timeout of an answer, in milliseconds of running process time. Longer than for other statements: a server without CPU time
 * is slow, and giving up the session costs the holder a new term.
 */
const ANSWER_MS = 5_000;
/** Pause before the next session, in milliseconds; it doubles with each term that ended early. */
const RECONNECT_MIN_MS = 250;
const RECONNECT_MAX_MS = 4_000;
/** A term that lasted this long did not end early, in milliseconds. */
const STEADY_MS = 30_000;

/** The same while the process stops, in milliseconds. */
const LAST_ANSWER_MS = 1_000;

const sessionSettings = { ...connectionSettings, connectionTimeoutMillis: 3_000, query_timeout: 0, statement_timeout: ANSWER_MS };

/** What an `AdvisoryLock` needs. */
export interface AdvisoryLockOptions {
  readonly url: string;
  /** Name of the lock; the same name in the same database is the same lock. */
  readonly name: string;
  readonly applicationName: string;
  readonly log: Logger;
  /** Registry in which losses are counted. */
  readonly metrics?: Registry | undefined;
  /** NOTIFY channel to listen to, whether or not the lock is held. */
  readonly channel?: string;
  /** Called when the lock has been taken, also after each loss. A rejection releases it. */
  readonly acquired: () => Promise<void> | void;
  /** Called when the lock is no longer held; another process may have it by now. */
  readonly lost: () => void;
  /** Called when a session begins. Notifications may have been lost before. */
  readonly connected?: () => void;
  readonly notified?: () => void;
}

/** SQL under the lock was refused, because the session that held it has ended. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/**
 * Holds a PostgreSQL advisory lock on a session of its own while the process lives, and waits for it again after each loss. One
 * of all processes with the same name holds it. A process that freezes or is cut off loses it after two seconds.
 *
 * The server alone decides who holds the lock: it is bound to the session, and `query` runs on that session, so what
 * commits there committed under the lock, however late its answer is read. How long this process waits for an answer
 * is therefore not a question of safety: if the server gives the lock to another process meanwhile, this session has
 * ended and every statement on it fails. It is a question of stability: a process or server without CPU time answers late,
 * and giving up its session causes a needless new term.
 * - Time in which this process was suspended does not count: answers that arrived meanwhile are read first. If the session
 *   survived, the lock was held all the time; if the server ended it, reading fails.
 * - `held` is true for at most as long as the server keeps a silent session: two seconds after the last answered statement
 *   was sent. The server counts from its arrival, which is later. So `held` is never true in two processes, unless an operator
 *   ends the session of one by force.
 * - After terms that end early the pauses grow, so that elections do not use up scarce CPU time.
 */
export class AdvisoryLock {
  #client: Client | undefined;
  #held = false;
  #stopped = false;
  /** When the last answered statement was sent, by `performance.now()`. */
  #provenAt = 0;
  #heldSince = 0;
  #earlyEnds = 0;
  #queue: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(private readonly options: AdvisoryLockOptions) {}

  get held(): boolean {
    return this.#held && performance.now() - this.#provenAt < SILENT_MS;
  }

  /** Begins to wait for the lock. */
  start(): void {
    this.#loop = this.#run();
  }

  /** Releases the lock, if held, and closes the session. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.abort();
    await this.#loop;
  }

  /**
   * Runs one statement on the session that holds the lock: if it commits, it has committed under the lock.
   * @throws LockLostError when the lock is not held.
   */
  async query<T extends QueryResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const client = this.#client;
    if (!this.#held || !client) throw new LockLostError('The lock is not held.');
    return this.#send<T>(client, sql, parameters);
  }

  async #run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#session();
      } catch (error) {
        if (!this.#stopped) this.options.log.warn({ lock: this.options.name, err: error }, 'lock.session_lost');
      }
      const longest = Math.min(RECONNECT_MIN_MS * 2 ** this.#earlyEnds, RECONNECT_MAX_MS);
      await pause(longest * (0.5 + Math.random()), this.#stopping.signal);
    }
  }

  async #session(): Promise<void> {
    const { url, applicationName, channel } = this.options;
    const client = new Client({ connectionString: url, application_name: applicationName, ...sessionSettings });
    // An abort ends the pause at once. A promise raced with every pause would keep all of them in memory.
    const ending = new AbortController();
    let ended = false;
    let failure: Error | undefined;
    const end = (error?: Error): void => {
      failure ??= error;
      ending.abort();
    };
    const stop = (): void => end();
    this.#stopping.signal.addEventListener('abort', stop, { once: true });
    client.on('error', end);
    client.on('end', () => {
      ended = true;
      end(new LockLostError('The session has ended.'));
    });
    client.on('notification', () => this.options.notified?.());
    this.#queue = Promise.resolve();
    try {
      await client.connect();
      await this.#send(client, `SET idle_session_timeout = ${SILENT_MS}`);
      if (channel !== undefined) await this.#send(client, `LISTEN "${channel}"`);
      this.options.connected?.();
      while (!this.#stopped && failure === undefined) {
        await this.#beat(client);
        await pause(this.#held ? BEAT_MS : TRY_MS, ending.signal);
      }
      if (failure !== undefined) throw failure;
    } finally {
      this.#stopping.signal.removeEventListener('abort', stop);
      this.#lose();
      if (!ended) await Promise.race([client.end(), delay(clientTimeouts.query_timeout, undefined, { ref: false })]).catch(() => undefined);
    }
  }

  async #beat(client: Client): Promise<void> {
    if (this.#held) {
      await this.#send(client, 'SELECT 1');
      return;
    }
    const [row] = await this.#send<{ won: boolean }>(client, 'SELECT pg_try_advisory_lock(hashtextextended($1, 0)) AS won', [
      `slipway.${this.options.name}`,
    ]);
    if (row?.won !== true || this.#stopped) return;
    this.#client = client;
    this.#held = true;
    this.#heldSince = performance.now();
    await this.options.acquired();
  }

  #lose(): void {
    this.#client = undefined;
    if (!this.#held) return;
    this.#held = false;
    this.#earlyEnds = performance.now() - this.#heldSince < STEADY_MS ? this.#earlyEnds + 1 : 0;
    const { metrics, name } = this.options;
    if (!this.#stopped && metrics) lockLosses(metrics).inc({ lock: name });
    this.options.lost();
  }

  /** One statement at a time, in the order of the calls. */
  #send<T extends QueryResultRow>(client: Client, sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const sent = this.#queue.then(async () => {
      const sentAt = performance.now();
      const answer = client.query<T>(sql, [...parameters]);
      try {
        const { rows } = await awakeFor(answer, () => (this.#stopped ? LAST_ANSWER_MS : ANSWER_MS));
        this.#provenAt = sentAt;
        return rows;
      } catch (error) {
        // Not awaited: the session may hang.
        if (error instanceof AnswerTimeoutError) void client.end().catch(() => undefined);
        throw error;
      }
    });
    this.#queue = sent.catch(() => undefined);
    return sent;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
