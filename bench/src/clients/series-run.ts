import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { machineMicros } from '../engine/machine-clock.js';
import { deadlineMs, type Series, type SeriesResult } from '../messages.js';
import { Histogram } from './histogram.js';
import { LoadConnection } from './load-connection.js';
import { requestBytes } from './request-bytes.js';
import { FirstTelling } from './first-telling.js';
import { noTokens, TokenLedger } from './token-ledger.js';

/** Clients of a paced series begin within this, so that their tokens do not come in step, in milliseconds. */
const SPREAD_MS = 1_000;
/** A client that was not answered as wanted waits this long: a server that refuses at once gets no storm. */
const AFTER_FAILURE_MS = 20;

/** Runs one series of requests and counts what its clients see. */
export class SeriesRun {
  readonly #request: Buffer;
  readonly #idle: LoadConnection[] = [];
  readonly #all = new Set<LoadConnection>();
  readonly #ttft = new Histogram();
  readonly #total = new Histogram();
  readonly #lateness = new Histogram();
  readonly #counts = noTokens();
  readonly #statuses: Record<string, number> = {};
  #begun = 0;
  #completed = 0;
  #failed = 0;
  #firstFailure: string | null = null;

  constructor(private readonly series: Series) {
    this.#request = requestBytes(series);
  }

  async run(): Promise<SeriesResult> {
    const { arrival } = this.series;
    const startedAt = performance.now();
    const timer = setTimeout(() => this.#giveUp(), deadlineMs(this.series));
    await (arrival.kind === 'closed' ? this.#closed(arrival) : this.#open(arrival));
    clearTimeout(timer);
    const seconds = (performance.now() - startedAt) / 1_000;
    for (const connection of this.#all) connection.close();
    return {
      seconds,
      completed: this.#completed,
      failed: this.#failed,
      statuses: this.#statuses,
      firstFailure: this.#firstFailure,
      ttft: this.#ttft.summary(),
      total: this.#total.summary(),
      lateness: this.#lateness.summary(),
      counts: this.#counts,
    };
  }

  async #closed({ concurrency, requests = Infinity, withinMs }: Extract<Series['arrival'], { kind: 'closed' }>): Promise<void> {
    const end = performance.now() + withinMs;
    const paced = this.series.script.gapMs > 0;
    const client = async (n: number): Promise<void> => {
      if (paced) await delay((n / concurrency) * SPREAD_MS);
      while (this.#begun < requests && performance.now() < end) if (!(await this.#one())) await delay(AFTER_FAILURE_MS);
    };
    await Promise.all(Array.from({ length: concurrency }, (_, n) => client(n)));
  }

  async #open({ perSecond, withinMs }: Extract<Series['arrival'], { kind: 'open' }>): Promise<void> {
    const startedAt = performance.now();
    const requests = Math.round((perSecond * withinMs) / 1_000);
    const answers: Promise<boolean>[] = [];
    while (answers.length < requests) {
      const due = Math.min(requests, Math.ceil(((performance.now() - startedAt) / 1_000) * perSecond));
      while (answers.length < due) answers.push(this.#one());
      await delay(1);
    }
    await Promise.all(answers);
  }

  /** Breaks what is still open. */
  #giveUp(): void {
    for (const connection of this.#all) connection.abort('no answer within the time');
  }

  /** One request from its first byte to the end of its answer. @returns whether it was answered as wanted */
  #one(): Promise<boolean> {
    const connection = this.#idle.pop() ?? this.#connect();
    this.#begun += 1;
    return new Promise((resolve) => {
      const { series } = this;
      const startedAt = performance.now();
      let ledger: TokenLedger | null = null;
      let refused = '';
      const told = series.contract && series.stream ? new FirstTelling() : null;
      let first = true;
      let status = 0;
      const done = (failure: string | null): void => {
        ledger?.end();
        this.#note(status, failure, performance.now() - startedAt);
        if (failure === null) this.#idle.push(connection);
        resolve(failure === null);
      };
      connection.send(this.#request, {
        head: (code) => {
          status = code;
          if (code === 200) ledger = new TokenLedger(series.script.tokens, this.#counts, this.#lateness);
        },
        body: (piece) => {
          const text = told ? told.take(piece) : piece;
          if (!ledger) refused += text;
          else if (first && text.includes('<')) {
            first = false;
            this.#ttft.add(performance.now() - startedAt);
          }
          ledger?.text(text, machineMicros());
        },
        end: () => done(series.wantedStatus.includes(status) ? null : `${status} ${refused.slice(0, 300)}`),
        broken: (reason) => done(reason),
      });
    });
  }

  #note(status: number, failure: string | null, ms: number): void {
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    if (failure === null) {
      this.#completed += 1;
      this.#total.add(ms);
      return;
    }
    this.#failed += 1;
    this.#firstFailure ??= failure;
  }

  #connect(): LoadConnection {
    const { ports } = this.series.target;
    const connection = new LoadConnection(ports[this.#all.size % ports.length] ?? ports[0]);
    this.#all.add(connection);
    return connection;
  }
}
