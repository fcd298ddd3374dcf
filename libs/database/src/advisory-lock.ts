import type { QueryResultRow } from 'pg';
import type { LockSession, SessionLock } from './lock-session.js';

/** What an `AdvisoryLock` needs. */
export interface AdvisoryLockOptions extends SessionLock {
  /** The session of this process and database, which holds its other locks too. */
  readonly session: LockSession;
}

/**
 * Holds a PostgreSQL advisory lock while the process lives, and waits for it again after each loss. One of all processes with the
 * same name holds it. A process that freezes or is cut off loses it after two seconds; see `LockSession`.
 */
export class AdvisoryLock {
  constructor(private readonly options: AdvisoryLockOptions) {}

  get held(): boolean {
    return this.options.session.isHeld(this.options);
  }

  /** Begins to wait for the lock. */
  start(): void {
    this.options.session.add(this.options);
  }

  /** Releases the lock, if held. */
  async stop(): Promise<void> {
    await this.options.session.remove(this.options);
  }

  /**
   * Runs one statement on the session that holds the lock: if it commits, it has committed under the lock.
   * @throws LockLostError when the lock is not held.
   */
  query<T extends QueryResultRow>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    return this.options.session.query<T>(this.options, sql, parameters);
  }
}
