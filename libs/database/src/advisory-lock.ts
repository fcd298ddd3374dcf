import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from '@slipway/platform';
import { Client, type QueryResultRow } from 'pg';
import { isTimeout } from './pg-errors.js';
import { clientTimeouts, connectionSettings } from './settings.js';

/** Pause between two tries for the lock, and between two signs of life while it is held, in milliseconds. */
const BEAT_MS = 250;
/**
 * The server ends the session of a holder that is silent for so long, in milliseconds: a frozen
 * process, whose kernel keeps the connection up, must not hold the lock for ever.
 */
const SILENT_MS = 2_000;
const RECONNECT_MS = 250;

export interface AdvisoryLockOptions {
  readonly url: string;
  /** Name of the lock; the same name in the same database is the same lock. */
  readonly name: string;
  readonly applicationName: string;
  readonly log: Logger;
  /** Channel of NOTIFY to listen to, whether or not the lock is held. */
  readonly channel?: string;
  /** The lock is held. A failure gives it back. Called again after each loss. */
  readonly acquired: () => Promise<void> | void;
  /** The lock is no longer held; at this moment another process may have it. */
  readonly lost: () => void;
  /** A session begins; whatever was heard on an earlier one may have holes. */
  readonly connected?: () => void;
  readonly notified?: () => void;
}

/** Why SQL under the lock is refused: the session that held it is gone. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

/**
 * Holds a PostgreSQL advisory lock on a session of its own, for as long as the process lives, and
 * stands in line for it again after each loss. Of all processes with the same name, one holds it;
 * one that freezes or is cut off loses it after two seconds.
 */
export class AdvisoryLock {
  #client: Client | undefined;
  #held = false;
  #stopped = false;
  #queue: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> = Promise.resolve();
  readonly #stopping = new AbortController();

  constructor(private readonly options: AdvisoryLockOptions) {}

  get held(): boolean {
    return this.#held;
  }

  /** Begins to stand in line. */
  start(): void {
    this.#loop = this.#run();
  }

  /** Gives the lock back, if held, and closes the session. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#stopping.abort();
    await this.#loop;
  }

  /**
   * Runs one statement on the session that holds the lock: if it commits, it committed under the lock.
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
      await this.#pause(RECONNECT_MS * (0.5 + Math.random()));
    }
  }

  async #session(): Promise<void> {
    const client = new Client({
      connectionString: this.options.url,
      application_name: this.options.applicationName,
      ...connectionSettings,
    });
    let ended = false;
    const failed = new Promise<never>((_, reject) => {
      client.on('error', reject);
      client.on('end', () => {
        ended = true;
        reject(new LockLostError('The session has ended.'));
      });
    });
    failed.catch(() => undefined);
    client.on('notification', () => this.options.notified?.());
    this.#queue = Promise.resolve();
    try {
      await client.connect();
      await this.#send(client, `SET idle_session_timeout = ${SILENT_MS}`);
      if (this.options.channel !== undefined) await this.#send(client, `LISTEN "${this.options.channel}"`);
      this.options.connected?.();
      while (!this.#stopped) {
        await this.#beat(client);
        await Promise.race([this.#pause(BEAT_MS), failed]);
      }
    } finally {
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
    await this.options.acquired();
  }

  #lose(): void {
    this.#client = undefined;
    if (!this.#held) return;
    this.#held = false;
    this.options.lost();
  }

  /** One statement at a time, in the order of the calls. */
  #send<T extends QueryResultRow>(client: Client, sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const sent = this.#queue.then(async () => {
      try {
        return (await client.query<T>(sql, [...parameters])).rows;
      } catch (error) {
        // The answer may still come: a session that hangs is not worth waiting for.
        if (isTimeout(error)) void client.end().catch(() => undefined);
        throw error;
      }
    });
    this.#queue = sent.catch(() => undefined);
    return sent;
  }

  async #pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
  }
}
