import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startTestPostgres, TestNatsServer, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';

/** What requests to a reader would have seen between two moments of the machine's clock. */
export interface Sample {
  readonly from: number;
  readonly to: number;
  readonly state: 'fresh' | 'absent' | 'cut_off';
  readonly things: Readonly<Record<string, number>>;
}

export interface ReaderNow extends Omit<Sample, 'from' | 'to'> {
  readonly ageMs: number | null;
  readonly place: { readonly epoch: string; readonly seq: number } | null;
  /** Snapshots taken so far. */
  readonly swaps: number;
}

export interface Committed {
  readonly ticket: string;
  readonly committedAt: number;
}

export interface Propagated {
  readonly propagated: boolean;
  readonly waiting: readonly string[];
  readonly at: number;
}

const alive = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** Polls until `probe` gives something; the deadline only bounds a failure. */
export async function until<T>(what: string, probe: () => Promise<T | null | undefined | false>, deadlineMs = 20_000): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const found = await probe();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error(`Not within ${deadlineMs} ms: ${what}`);
    await delay(10);
  }
}

/** Milliseconds of the machine's monotonic clock, as the child processes tell it. */
export const machineNow = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** A child process that answers questions. */
class Asked {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #asked = 0;
  #gone = false;

  protected constructor(script: string, argument: unknown) {
    this.#child = fork(fileURLToPath(new URL(`processes/${script}`, import.meta.url)), [JSON.stringify(argument)], { execArgv: [] });
    alive.add(this.#child);
    this.#child.on('message', (message) => this.#answered(message as { id?: number; value?: unknown; error?: string }));
    this.#child.once('exit', () => {
      this.#gone = true;
      alive.delete(this.#child);
      for (const { reject } of this.#open.values()) reject(new Error(`${script} has ended.`));
    });
  }

  protected async started(): Promise<void> {
    await Promise.race([
      once(this.#child, 'message'),
      once(this.#child, 'exit').then(() => {
        throw new Error('The process ended at its start.');
      }),
    ]);
  }

  protected ask<T>(name: string, argument?: unknown): Promise<T> {
    if (this.#gone) return Promise.reject(new Error('The process has ended.'));
    const id = (this.#asked += 1);
    return new Promise<T>((resolve, reject) => {
      this.#open.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#child.send({ id, name, argument });
    });
  }

  /** Stops the process without ending it. */
  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    if (this.#gone) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  /** Ends it in order. */
  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    await this.ask('stop');
    await gone;
  }

  #answered({ id, value, error }: { id?: number; value?: unknown; error?: string }): void {
    const waiting = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || !waiting) return;
    this.#open.delete(id);
    if (error === undefined) waiting.resolve(value);
    else waiting.reject(new Error(error));
  }
}

const level = process.env['FEED_LOG'] ?? 'silent';

/** A replica of a service that owns the probe feed. */
export class Publisher extends Asked {
  static async start(addresses: { natsUrl: string; databaseUrl: string }): Promise<Publisher> {
    const publisher = new Publisher('publisher.mjs', { ...addresses, level });
    await publisher.started();
    return publisher;
  }

  serving = (): Promise<boolean> => this.ask('serving');
  set = (id: string, n: number | null): Promise<Committed> => this.ask('set', { id, n });
  setMany = (prefix: string, count: number, n: number): Promise<void> => this.ask('setMany', { prefix, count, n });
  propagation = (ticket: string, timeoutMs: number): Promise<Propagated> => this.ask('propagation', { ticket, timeoutMs });
  head = (): Promise<{ epoch: string; seq: number } | null> => this.ask('head');
  readers = (): Promise<{ reader: string; epoch: string | null; seq: number }[]> => this.ask('readers');

  /** Waits until a replica holds the lock and this one answers. */
  ready = (): Promise<boolean> => until('the feed has begun', async () => (await this.serving()) && (await this.head()) !== null);
}

/** What a reader is deaf to. */
export interface Ears {
  readonly changes?: boolean;
  readonly ticks?: boolean;
  readonly since?: boolean;
  readonly snapshotMs?: number;
}

/** A process that follows the probe feed. */
export class Reader extends Asked {
  static async start(options: { natsUrl: string; reader: string; deaf?: Ears }): Promise<Reader> {
    const reader = new Reader('reader.mjs', { ...options, level });
    await reader.started();
    return reader;
  }

  now = (): Promise<ReaderNow> => this.ask('now');
  seen = (): Promise<Sample[]> => this.ask('seen');
  ears = (change: Ears): Promise<void> => this.ask('ears', change);
  fresh = (): Promise<ReaderNow> => this.state('fresh');
  state = (state: ReaderNow['state']): Promise<ReaderNow> =>
    until(`the reader is ${state}`, async () => (await this.now()).state === state && this.now());
  knows = (id: string, n: number | undefined): Promise<true> => until(`${id} is ${n}`, async () => (await this.now()).things[id] === n);
}

/**
 * Longest time after a commit at which a reader called itself fresh though it showed another value
 * than was committed; 0 when it never did.
 */
export function trustedWrongly(
  samples: readonly Sample[],
  { id, n, committedAt }: { id: string; n: number | undefined; committedAt: number },
): number {
  const wrong = samples.filter(({ state, things }) => state === 'fresh' && things[id] !== n);
  return Math.max(0, ...wrong.map(({ to }) => to - committedAt));
}

/** Real servers, and replicas and readers of the probe feed that end with the test. */
export class FeedWorld {
  readonly #started: Asked[] = [];

  private constructor(
    readonly postgres: TestPostgres,
    readonly nats: TestNatsServer,
  ) {}

  static async start(): Promise<FeedWorld> {
    const [postgres, nats] = await Promise.all([startTestPostgres(), TestNatsServer.start()]);
    return new FeedWorld(postgres, nats);
  }

  async publisher(databaseUrl: string, natsUrl = this.nats.url): Promise<Publisher> {
    const publisher = await Publisher.start({ natsUrl, databaseUrl });
    this.#started.push(publisher);
    await publisher.ready();
    return publisher;
  }

  async reader(reader: string, { deaf, natsUrl = this.nats.url }: { deaf?: Ears; natsUrl?: string } = {}): Promise<Reader> {
    const started = await Reader.start({ natsUrl, reader, ...(deaf && { deaf }) });
    this.#started.push(started);
    return started;
  }

  /** Ends all replicas and readers; for `afterEach`. */
  async clear(): Promise<void> {
    await Promise.all(this.#started.splice(0).map((process) => process.kill()));
  }

  async end(): Promise<void> {
    await this.clear();
    await Promise.all([this.nats.end(), this.postgres.stop()]);
  }
}

/** Runs SQL on a connection of its own. */
export async function withSql<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
