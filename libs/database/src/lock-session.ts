import { setTimeout as delay } from 'node:timers/promises';
import { eachSecond, type Logger } from '@slipway/platform';
import type { Registry } from '@slipway/platform/metrics';
import { Client, type QueryResultRow } from 'pg';
import { AnswerTimeoutError, awakeFor } from './awake-time.js';
import { lockLosses } from './lock-metrics.js';
import { END_SILENT_HOLDERS, RELEASE, TAKE } from './lock-statements.js';
import { clientTimeouts, connectionSettings } from './settings.js';

/** Pause between two attempts to take locks, in milliseconds. */
const TRY_MS = 250;
/**
 * Longest pause between two heartbeats while all locks are held, in milliseconds: three of them fit into `SILENT_MS`. Every second
 * one is sent with the process's other work of that second.
 */
const BEAT_MS = 500;
/**
 * Silence after which a process that waits for a lock ends the session that holds it, in milliseconds: a frozen process, whose
 * kernel keeps the connection open, must not hold locks that another one can take.
 */
const SILENT_MS = 2_000;
/** Pause between two looks for silent holders, in milliseconds. */
const LOOK_MS = 500;
/** Silence after which the server ends the session, in milliseconds: where those that wait may not, being another role. */
const ABANDONED_MS = 30_000;
/**
 * Timeout of an answer, in milliseconds of running process time. Longer than for other statements: a server without CPU time
 * is slow, and giving up the session costs the holder a new term.
 */
const ANSWER_MS = 5_000;
/** The same for the last lock that is released. */
const LAST_ANSWER_MS = 1_000;
/** Pause before the next session, in milliseconds; it doubles with each term that ended early. */
const RECONNECT_MIN_MS = 250;
const RECONNECT_MAX_MS = 4_000;
/** A term that lasted this long did not end early, in milliseconds. */
const STEADY_MS = 30_000;

const sessionSettings = { ...connectionSettings, connectionTimeoutMillis: 3_000, query_timeout: 0, statement_timeout: ANSWER_MS };

/** A lock that a session takes, and what it tells its owner. */
export interface SessionLock {
  /** The same name in the same database is the same lock. */
  readonly name: string;
  /** NOTIFY channel to listen to, whether or not the lock is held. */
  readonly channel?: string;
  /** Called when the lock has been taken, also after each loss. A rejection ends the session. */
  readonly acquired: () => Promise<void> | void;
  /** Called when the lock is no longer held; another process may have it by now. */
  readonly lost: () => void;
  /** Called when a session begins. Notifications may have been lost before. */
  readonly connected?: () => void;
  readonly notified?: () => void;
}

/** What a `LockSession` needs. */
export interface LockSessionOptions {
  readonly url: string;
  readonly applicationName: string;
  readonly log: Logger;
  /** Registry in which losses are counted. */
  readonly metrics?: Registry | undefined;
}

/** SQL under a lock was refused, because the session that held it has ended. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError';
}

interface Standing {
  held: boolean;
  /** The session that it has been told of. */
  client: Client | null;
}

const keyOf = ({ name }: SessionLock): string => `slipway.${name}`;

/**
 * One PostgreSQL session that holds all advisory locks of a process in one database, so that they share its heartbeat. It exists
 * while there is a lock to take. A process that freezes or is cut off loses the session, and so all locks, after two seconds if
 * another process waits for one of them. Where none waits, a process without CPU time keeps them: a new term would help nobody.
 *
 * The server alone decides who holds a lock: it is bound to the session, and `query` runs on that session, so what
 * commits there committed under the lock, however late its answer is read. How long this process waits for an answer
 * is therefore not a question of safety: if the server gives the lock to another process meanwhile, this session has
 * ended and every statement on it fails. It is a question of stability: a process or server without CPU time answers late,
 * and giving up its session causes a needless new term.
 * - Time in which this process was suspended does not count: answers that arrived meanwhile are read first. If the session
 *   survived, the locks were held all the time; if the server ended it, reading fails.
 * - A lock counts as held for at most as long as those that wait for it respect a silent session: two seconds after the last
 *   answered statement was sent. The server counts from its end, which is later. So a lock never counts as held in two processes,
 *   unless a session is ended by force while it speaks: by an operator, or by one that waits and saw it silent just before.
 * - After terms that end early the pauses grow, so that elections do not use up scarce CPU time.
 */
export class LockSession {
  readonly #options: LockSessionOptions;
  readonly #locks = new Map<SessionLock, Standing>();
  #client: Client | undefined;
  /** When the last answered statement was sent, by `performance.now()`. */
  #provenAt = 0;
  #heldSince: number | null = null;
  #earlyEnds = 0;
  /** When this process last looked for silent holders, by `performance.now()`. */
  #lookedAt = Number.NEGATIVE_INFINITY;
  #queue: Promise<unknown> = Promise.resolve();
  #loop: Promise<void> | null = null;
  /** Ends the present pause. */
  #wake: () => void = () => undefined;

  constructor(options: LockSessionOptions) {
    this.#options = options;
  }

  /** Begins to wait for a lock. */
  add(lock: SessionLock): void {
    this.#locks.set(lock, { held: false, client: null });
    this.#loop ??= this.#run();
    this.#wake();
  }

  /** Releases a lock; with the last one the session ends. */
  async remove(lock: SessionLock): Promise<void> {
    const standing = this.#locks.get(lock);
    if (!standing) return;
    this.#locks.delete(lock);
    if (standing.held) lock.lost();
    if (this.#locks.size > 0) {
      if (standing.held) await this.#unlock(lock);
      return;
    }
    this.#wake();
    await this.#loop;
  }

  isHeld(lock: SessionLock): boolean {
    return this.#locks.get(lock)?.held === true && performance.now() - this.#provenAt < SILENT_MS;
  }

  /**
   * Runs one statement on the session that holds the lock: if it commits, it has committed under the lock.
   * @throws LockLostError when the lock is not held.
   */
  async query<T extends QueryResultRow>(lock: SessionLock, sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const client = this.#client;
    if (this.#locks.get(lock)?.held !== true || !client) throw new LockLostError('The lock is not held.');
    return this.#send<T>(client, sql, parameters);
  }

  async #run(): Promise<void> {
    while (this.#locks.size > 0) {
      try {
        await this.#session();
      } catch (error) {
        const locks = [...this.#locks.keys()].map(({ name }) => name);
        if (locks.length > 0) this.#options.log.warn({ locks, err: error }, 'lock.session_lost');
      }
      const longest = Math.min(RECONNECT_MIN_MS * 2 ** this.#earlyEnds, RECONNECT_MAX_MS);
      if (this.#locks.size > 0) await this.#pause(longest * (0.5 + Math.random()), () => this.#locks.size === 0);
    }
    this.#loop = null;
  }

  async #session(): Promise<void> {
    const { url, applicationName } = this.#options;
    const client = new Client({ connectionString: url, application_name: applicationName, ...sessionSettings });
    let ended = false;
    let failure: Error | undefined;
    const end = (error: Error): void => {
      failure ??= error;
      this.#wake();
    };
    client.on('error', end);
    client.on('end', () => {
      ended = true;
      end(new LockLostError('The session has ended.'));
    });
    client.on('notification', ({ channel }) => {
      for (const lock of this.#locks.keys()) if (lock.channel === channel) lock.notified?.();
    });
    const isOver = (): boolean => failure !== undefined || this.#locks.size === 0;
    this.#queue = Promise.resolve();
    try {
      await client.connect();
      await this.#send(client, `SET idle_session_timeout = ${ABANDONED_MS}`);
      this.#client = client;
      while (!isOver()) {
        await this.#introduce(client);
        await this.#beat(client);
        if (isOver()) break;
        await (this.#waiting().length === 0 ? this.#pause(BEAT_MS, isOver, eachSecond) : this.#pause(TRY_MS, isOver));
      }
      if (failure !== undefined) throw failure;
    } finally {
      this.#lose();
      if (!ended) await Promise.race([client.end(), delay(clientTimeouts.query_timeout, undefined, { ref: false })]).catch(() => undefined);
    }
  }

  /** Tells new locks of this session, once it listens to their channels. */
  async #introduce(client: Client): Promise<void> {
    for (const [lock, standing] of this.#locks) {
      if (standing.client === client) continue;
      standing.client = client;
      if (lock.channel !== undefined) await this.#send(client, `LISTEN "${lock.channel}"`);
      lock.connected?.();
    }
  }

  async #beat(client: Client): Promise<void> {
    const waiting = this.#waiting();
    if (waiting.length === 0) await this.#send(client, 'SELECT 1');
    for (const [lock, standing] of waiting) await this.#tryToTake(client, lock, standing);
    await this.#endSilentHolders(client);
  }

  /** The next try takes what this frees. */
  async #endSilentHolders(client: Client): Promise<void> {
    const names = this.#waiting().map(([lock]) => keyOf(lock));
    if (names.length === 0 || performance.now() - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = performance.now();
    const ended = await this.#send<{ application: string }>(client, END_SILENT_HOLDERS, [names, SILENT_MS]);
    if (ended.length > 0) this.#options.log.warn({ holders: ended.map(({ application }) => application) }, 'lock.silent_holder_ended');
  }

  async #tryToTake(client: Client, lock: SessionLock, standing: Standing): Promise<void> {
    const [row] = await this.#send<{ won: boolean }>(client, TAKE, [keyOf(lock)]);
    if (row?.won !== true) return;
    if (!this.#locks.has(lock)) return this.#unlock(lock);
    standing.held = true;
    this.#heldSince ??= performance.now();
    await lock.acquired();
  }

  /** A session on which this fails ends, which releases the lock as well. */
  async #unlock(lock: SessionLock): Promise<void> {
    const client = this.#client;
    if (!client) return;
    await this.#send(client, RELEASE, [keyOf(lock)]).catch(() => void client.end().catch(() => undefined));
  }

  #waiting(): [SessionLock, Standing][] {
    return [...this.#locks].filter(([, { held }]) => !held);
  }

  #lose(): void {
    this.#client = undefined;
    if (this.#heldSince !== null) this.#earlyEnds = performance.now() - this.#heldSince < STEADY_MS ? this.#earlyEnds + 1 : 0;
    this.#heldSince = null;
    const { metrics } = this.#options;
    for (const [lock, standing] of this.#locks) {
      if (!standing.held) continue;
      standing.held = false;
      if (metrics) lockLosses(metrics).inc({ lock: lock.name });
      lock.lost();
    }
  }

  /** One statement at a time, in the order of the calls. */
  #send<T extends QueryResultRow>(client: Client, sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const sent = this.#queue.then(async () => {
      const sentAt = performance.now();
      const answer = client.query<T>(sql, [...parameters]);
      try {
        const { rows } = await awakeFor(answer, () => (this.#locks.size === 0 ? LAST_ANSWER_MS : ANSWER_MS));
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

  /** Ends early when it is woken and `isOver`, when a lock has come, or when `sooner` calls back. */
  async #pause(ms: number, isOver: () => boolean, sooner?: typeof eachSecond): Promise<void> {
    const known = this.#locks.size;
    let timer: NodeJS.Timeout | undefined;
    let endSooner: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, ms);
      endSooner = sooner?.(resolve);
      this.#wake = () => {
        if (isOver() || this.#locks.size > known) resolve();
      };
    });
    clearTimeout(timer);
    endSooner?.();
    this.#wake = () => undefined;
  }
}
