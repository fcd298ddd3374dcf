import { Inject, Injectable } from '@nestjs/common';
import type { AccountId, EvaluationId } from '@slipway/contracts';
import { Transactions } from '@slipway/database';
import { LOG, type Logger } from '@slipway/platform';
import { Leader } from '../leader.js';
import type { EvaluationRow } from './evaluation-rows.js';
import { EvaluationRun } from './evaluation-run.js';
import { EvaluationsRepository } from './evaluations.repository.js';

/** Time between two looks, in milliseconds. */
const ROUND_MS = 5_000;
/** Evaluations that run at one time: of all accounts, and of one. */
const [ALL_AT_ONCE, OF_ACCOUNT] = [4, 1];

interface Running {
  readonly account: AccountId;
  readonly abort: AbortController;
  readonly done: Promise<void>;
}

/** Runs evaluations on the replica that leads: the oldest first, one of an account at a time. */
@Injectable()
export class EvaluationRounds {
  readonly #running = new Map<EvaluationId, Running>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void> | null = null;
  #isDue = false;
  #isStopped = false;

  constructor(
    private readonly leader: Leader,
    private readonly transactions: Transactions,
    private readonly evaluations: EvaluationsRepository,
    private readonly runs: EvaluationRun,
    @Inject(LOG) private readonly log: Logger,
  ) {}

  start(): void {
    this.leader.on('elected', () => this.#look());
    this.leader.on('work', () => this.#look());
    this.leader.on('lost', () => this.#abortAll());
    this.#timer = setInterval(() => this.#look(), ROUND_MS).unref();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    await this.#round;
    this.#abortAll();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  #look(): void {
    if (!this.leader.leads || this.#isStopped) return;
    this.#isDue = true;
    this.#round ??= this.#rounds().finally(() => {
      this.#round = null;
    });
  }

  async #rounds(): Promise<void> {
    while (this.#isDue && !this.#isStopped) {
      this.#isDue = false;
      try {
        const open = await this.transactions.read((connection) => this.evaluations.open(connection));
        this.#abortEnded(open);
        this.#beginNext(open);
      } catch (error) {
        this.log.warn({ err: error }, 'evaluations.failed');
      }
    }
  }

  /** Those that were cancelled, deleted or whose data set was. */
  #abortEnded(open: readonly EvaluationRow[]): void {
    const ids = new Set(open.map(({ id }) => id));
    for (const [id, { abort }] of this.#running) if (!ids.has(id)) abort.abort();
  }

  #abortAll(): void {
    for (const { abort } of this.#running.values()) abort.abort();
  }

  #beginNext(open: readonly EvaluationRow[]): void {
    for (const row of open) if (this.#mayStart(row)) this.#begin(row);
  }

  #mayStart({ id, account }: EvaluationRow): boolean {
    if (!this.leader.leads || this.#running.has(id) || this.#running.size >= ALL_AT_ONCE) return false;
    return [...this.#running.values()].filter((one) => one.account === account).length < OF_ACCOUNT;
  }

  #begin(row: EvaluationRow): void {
    const abort = new AbortController();
    const done = this.runs
      .run(row, abort.signal)
      .catch((error: unknown) => {
        if (!abort.signal.aborted) this.log.warn({ evaluation: row.id, err: error }, 'evaluation.interrupted');
      })
      .finally(() => {
        this.#running.delete(row.id);
        // What was interrupted goes on in the next round, what waits behind it at once.
        if (!abort.signal.aborted) this.#lookSoon();
      });
    this.#running.set(row.id, { account: row.account, abort, done });
  }

  #lookSoon(): void {
    setTimeout(() => this.#look(), ROUND_MS / 10).unref();
  }
}
