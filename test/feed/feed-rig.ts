import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { endWithProcess, startTestPostgres, TcpGate, TestNatsServer, type TestPostgres } from '@slipway/testing';
import { Client } from 'pg';
import { test } from 'vitest';
import { until as poll } from '../testing/until.js';

/** What requests to a reader would have got between two moments of the machine's clock. */
export interface Sample {
  readonly from: number;
  readonly to: number;
  readonly state: 'fresh' | 'absent' | 'cut_off';
  readonly things: Readonly<Record<string, number>>;
}

export interface ReaderNow extends Omit<Sample, 'from' | 'to'> {
  readonly ageMs: number | null;
  readonly place: { readonly epoch: string; readonly seq: number } | null;
  /** Number of loaded snapshots. */
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

const level = process.env['FEED_LOG'] ?? 'silent';

/** Polls until `probe` returns a value, within the time that a feed needs. */
export const until = <T>(what: string, probe: () => Promise<T | null | undefined | false>, deadlineMs = 20_000): Promise<T> =>
  poll(what, probe, deadlineMs);

/** The machine's monotonic clock in milliseconds, as in child processes. */
export const machineNow = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;

/** A process that runs replicas and readers. */
class Host {
  readonly #child: ChildProcess = fork(fileURLToPath(new URL('processes/host.mjs', import.meta.url)), { execArgv: [] });
  readonly #open = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  readonly #gone: Promise<unknown>;
  #asked = 0;

  constructor() {
    endWithProcess(this.#child);
    this.#child.on('message', (message) => this.#answered(message as { id: number; value?: unknown; error?: string }));
    this.#gone = once(this.#child, 'exit').then(() => {
      for (const { reject } of this.#open.values()) reject(new Error('The process has ended.'));
    });
  }

  ask<T>(question: { actor?: number; name: string; argument?: unknown }): Promise<T> {
    const id = (this.#asked += 1);
    return new Promise<T>((resolve, reject) => {
      this.#open.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#child.send({ id, ...question }, (error) => error && reject(error));
    });
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child.kill(signal);
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#gone;
  }

  #answered({ id, value, error }: { id: number; value?: unknown; error?: string }): void {
    const waiting = this.#open.get(id);
    this.#open.delete(id);
    if (error === undefined) waiting?.resolve(value);
    else waiting?.reject(new Error(error));
  }
}

/** A replica or a reader in its host. */
class Actor {
  #stopped = false;

  constructor(
    readonly host: Host,
    private readonly actor: number,
  ) {}

  protected ask<T>(name: string, argument?: unknown): Promise<T> {
    return this.host.ask({ actor: this.actor, name, argument });
  }

  /** Stops it in order. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.ask('stop');
  }
}

/** A replica of a service that owns the probe feed. */
export class Publisher extends Actor {
  serving = (): Promise<boolean> => this.ask('serving');
  set = (id: string, n: number | null): Promise<Committed> => this.ask('set', { id, n });
  setOnce = (id: string, n: number | null): Promise<Committed> => this.ask('setOnce', { id, n });
  setMany = (prefix: string, count: number, n: number): Promise<void> => this.ask('setMany', { prefix, count, n });
  propagation = (ticket: string, timeoutMs: number): Promise<Propagated> => this.ask('propagation', { ticket, timeoutMs });
  head = (): Promise<{ epoch: string; seq: number } | null> => this.ask('head');
  readers = (): Promise<{ reader: string; asks: number; epoch: string | null; seq: number }[]> => this.ask('readers');

  /** Waits until a replica is elected and this one answers. */
  ready = (): Promise<boolean> => until('the feed has begun', async () => (await this.serving()) && (await this.head()) !== null);
}

/** Messages that a reader loses. */
export interface Ears {
  readonly changes?: boolean;
  readonly ticks?: boolean;
  readonly since?: boolean;
  /** True = snapshot replies are delayed until this is false. */
  readonly snapshots?: boolean;
}

/** A reader of the probe feed. */
export class Reader extends Actor {
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

/** Real servers for the concurrent tests of one file. */
export class FeedWorld {
  readonly #host = new Host();
  #scenes = 0;

  private constructor(
    readonly postgres: TestPostgres,
    readonly nats: TestNatsServer,
  ) {}

  static async start(): Promise<FeedWorld> {
    const [postgres, nats] = await Promise.all([startTestPostgres(), TestNatsServer.start()]);
    return new FeedWorld(postgres, nats);
  }

  /** A feed for one test: its own database and subjects. */
  async scene(): Promise<Scene> {
    const env = `t${(this.#scenes += 1)}`;
    return new Scene({ host: this.#host, database: await this.postgres.createDatabase(), env, natsUrl: this.nats.url });
  }

  async end(): Promise<void> {
    await Promise.all([this.#host.kill(), this.nats.end(), this.postgres.stop()]);
  }
}

interface Stage {
  /** Host of everything that needs no process of its own. */
  readonly host: Host;
  readonly database: string;
  readonly env: string;
  readonly natsUrl: string;
}

/** Options of a replica or reader. */
interface Variant {
  readonly natsUrl?: string;
  readonly databaseUrl?: string;
  /** True = in its own process, which can be frozen and killed. */
  readonly alone?: boolean;
}

/** Replicas and readers of one feed. */
export class Scene {
  readonly #actors: Actor[] = [];
  readonly #hosts: Host[] = [];
  readonly #gates: TcpGate[] = [];

  constructor(private readonly stage: Stage) {}

  /** Of the feed's subjects. */
  get env(): string {
    return this.stage.env;
  }

  /** Address of the feed's database. */
  get database(): string {
    return this.stage.database;
  }

  async publisher({ natsUrl = this.stage.natsUrl, databaseUrl = this.stage.database, alone = false }: Variant = {}): Promise<Publisher> {
    const host = this.#host(alone);
    const argument = { natsUrl, databaseUrl, env: this.stage.env, level };
    const publisher = new Publisher(host, await host.ask({ name: 'publisher', argument }));
    if (!alone) this.#actors.push(publisher);
    await publisher.ready();
    return publisher;
  }

  async reader(
    reader: string,
    { natsUrl = this.stage.natsUrl, alone = false, deaf = {} }: Variant & { deaf?: Ears } = {},
  ): Promise<Reader> {
    const host = this.#host(alone);
    const argument = { natsUrl, reader, env: this.stage.env, deaf, level };
    const started = new Reader(host, await host.ask({ name: 'reader', argument }));
    if (!alone) this.#actors.push(started);
    return started;
  }

  /** A TCP gate in front of one of the servers. */
  async gate(url: string): Promise<TcpGate> {
    const gate = await TcpGate.open(url);
    this.#gates.push(gate);
    return gate;
  }

  async end(): Promise<void> {
    for (const gate of this.#gates) gate.refuse();
    await Promise.all([...this.#hosts.map((host) => host.kill()), ...this.#actors.map((actor) => actor.stop())]);
    await Promise.all(this.#gates.map((gate) => gate.end()));
  }

  #host(alone: boolean): Host {
    if (!alone) return this.stage.host;
    const host = new Host();
    this.#hosts.push(host);
    return host;
  }
}

/** A test with its own scene. */
export const sceneTest = (world: () => FeedWorld) =>
  test.extend<{ scene: Scene }>({
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
    scene: async ({}, use) => {
      const scene = await world().scene();
      await use(scene);
      await scene.end();
    },
  });

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
