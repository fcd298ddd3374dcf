import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { promptFor } from './answer-script.js';
import { Histogram } from './histogram.js';
import { LoadConnection } from './load-connection.js';
import { machineMicros } from './machine-clock.js';
import type { Series, SeriesResult } from './messages.js';
import { noTokens, TokenLedger } from './token-ledger.js';

/** The bytes of a series' request, head and body. */
function requestBytes({ target, stream, script, bodyBytes }: Series): Buffer {
  const bodyWith = (filling: string): string =>
    JSON.stringify({
      model: target.model,
      stream,
      max_tokens: script.tokens,
      messages: [
        { role: 'system', content: promptFor(script) },
        { role: 'user', content: `Hello! Who are you?${filling}` },
      ],
    });
  const room = bodyBytes === null ? 0 : Math.max(0, bodyBytes - bodyWith('').length);
  const body = bodyWith(' lorem ipsum dolor sit amet'.repeat(Math.ceil(room / 27)).slice(0, room));
  const key = target.key === null ? '' : `x-api-key: ${target.key}\r\n`;
  const length = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  return Buffer.from(`POST ${target.path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${key}${length}\r\n${body}`);
}

/** Clients of a closed series begin within this, so that their tokens do not come in step, in milliseconds. */
const SPREAD_MS = 1_000;

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
    await (arrival.kind === 'closed' ? this.#closed(arrival) : this.#open(arrival));
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

  async #closed({ concurrency, requests, withinMs }: Extract<Series['arrival'], { kind: 'closed' }>): Promise<void> {
    const end = withinMs === undefined ? Number.POSITIVE_INFINITY : performance.now() + withinMs;
    const paced = this.series.script.gapMs > 0;
    const client = async (n: number): Promise<void> => {
      if (paced) await delay((n / concurrency) * SPREAD_MS);
      while (this.#begun < requests && performance.now() < end) await this.#one();
    };
    await Promise.all(Array.from({ length: concurrency }, (_, n) => client(n)));
  }

  async #open({ perSecond, requests }: Extract<Series['arrival'], { kind: 'open' }>): Promise<void> {
    const startedAt = performance.now();
    const answers: Promise<void>[] = [];
    while (answers.length < requests) {
      const due = Math.min(requests, Math.ceil(((performance.now() - startedAt) / 1_000) * perSecond));
      while (answers.length < due) answers.push(this.#one());
      await delay(1);
    }
    await Promise.all(answers);
  }

  /** One request from its first byte to the end of its answer. */
  #one(): Promise<void> {
    const connection = this.#idle.pop() ?? this.#connect();
    this.#begun += 1;
    return new Promise((resolve) => {
      const { series } = this;
      const startedAt = performance.now();
      let ledger: TokenLedger | null = null;
      let refused = '';
      let first = true;
      let status = 0;
      const done = (failure: string | null): void => {
        ledger?.end();
        this.#note(status, failure, performance.now() - startedAt);
        if (failure === null) this.#idle.push(connection);
        resolve();
      };
      connection.send(this.#request, {
        head: (code) => {
          status = code;
          if (code === 200) ledger = new TokenLedger(series.script.tokens, this.#counts, this.#lateness);
        },
        body: (text) => {
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
    const connection = new LoadConnection(this.series.target.port);
    this.#all.add(connection);
    return connection;
  }
}
