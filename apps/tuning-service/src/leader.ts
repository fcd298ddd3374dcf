import { EventEmitter } from 'node:events';
import { Inject, Injectable } from '@nestjs/common';
import { type AdvisoryLock, Database, Transactions, type Tx } from '@slipway/database';
import { LOG, type Logger } from '@slipway/platform';

const CHANNEL = 'tuning_work';

/** Wakes the leader once the transaction commits: there is something to check, place or remove. */
export async function announceWork(tx: Tx): Promise<void> {
  await tx.query(`SELECT pg_notify($1, '')`, [CHANNEL]);
}

const NEXT_TERM = `UPDATE placement_term SET term = term + 1 RETURNING term::float8 AS term`;

/**
 * Elects one replica, which checks versions and places jobs: the one whose session holds the database lock begins the next term.
 * Emits `elected` with the term, `lost`, and `work` when something may have to be done.
 */
@Injectable()
export class Leader extends EventEmitter<{ elected: [term: number]; lost: []; work: [] }> {
  readonly #lock: AdvisoryLock;
  #leads = false;

  constructor(
    database: Database,
    private readonly transactions: Transactions,
    @Inject(LOG) log: Logger,
  ) {
    super();
    this.#lock = database.lock({
      name: 'tuning',
      channel: CHANNEL,
      connected: () => void this.emit('work'),
      notified: () => void this.emit('work'),
      acquired: async () => {
        const [row] = await this.#lock.query<{ term: number }>(NEXT_TERM);
        this.#leads = true;
        log.info({ term: row?.term }, 'leader.elected');
        this.emit('elected', row?.term ?? 0);
      },
      lost: () => {
        this.#leads = false;
        log.warn('leader.lost');
        this.emit('lost');
      },
    });
  }

  /** True from the election on until the lock is lost. */
  get leads(): boolean {
    return this.#leads;
  }

  /** The newest term of any replica. */
  async term(): Promise<number> {
    const [row] = await this.transactions.read((connection) =>
      connection.query<{ term: number }[]>(`SELECT term::float8 AS term FROM placement_term`),
    );
    return row?.term ?? 0;
  }

  start(): void {
    this.#lock.start();
  }

  stop(): Promise<void> {
    return this.#lock.stop();
  }
}
