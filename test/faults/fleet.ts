import { Child } from '../testing/child.js';
import { until } from '../testing/until.js';

const POLL_MS = 20;

/** The processes run what is built. */
const startChild = (script: 'worker' | 'gateway', options: object): Promise<Child> =>
  Child.start(new URL(`processes/${script}.mjs`, import.meta.url), options);

/** Outcome of one stream at its gateway; times in milliseconds. */
export interface StreamResult {
  readonly st: string;
  /** Null while it is open, and after a cancel. */
  readonly outcome: 'end' | 'error' | 'twice' | null;
  readonly code: string | null;
  readonly tokens: number;
  /** Tokens that differ from the oracle's at the same position. */
  readonly wrong: number;
  readonly workers: readonly string[];
  readonly ttft: number | null;
  /** Longest time between two events. */
  readonly pause: number;
  readonly endedAt: number;
  readonly usage: { readonly completion: number } | null;
}

export interface WorkerStats {
  readonly running: number;
  readonly held: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly aborts: readonly { readonly st: string; readonly at: number }[];
  readonly starts: readonly { readonly st: string; readonly at: number }[];
}

export interface GatewayStats {
  readonly active: number;
  readonly counters: Readonly<Record<string, number>>;
  readonly refusals: Readonly<Record<string, number>>;
}

/** What a drained worker says of its streams. */
export interface Drained {
  readonly stopped: number;
  readonly unacknowledged: number;
}

/** Options of streams. */
export interface Load {
  readonly count: number;
  readonly tokens: number;
  /** Tokens per second of each stream. */
  readonly hz: number;
  readonly gapMs?: number;
  readonly prefillMs?: number;
  readonly seed?: number;
  /** Characters to add to the prompt. */
  readonly pad?: number;
  readonly fail?: { readonly at: number; readonly code: string; readonly workers: readonly string[] };
}

export interface FleetOptions {
  readonly url: string;
  /** Where workers connect first; absent = at `url`. */
  readonly workerUrl?: string;
  readonly workers: number;
  readonly gateways?: number;
  readonly slots?: number;
  readonly settings?: Readonly<Record<string, number>>;
  readonly lossy?: { readonly every: number; readonly hide: boolean };
  readonly waitMs?: number;
  readonly env?: string;
  readonly credentialsDir?: string;
}

/** Gateways and workers as processes, on the test's nats-server. */
export class Fleet {
  readonly workers = new Map<string, Child>();
  readonly gateways: Child[] = [];
  private started = 0;

  private constructor(private readonly options: FleetOptions) {}

  static async start(options: FleetOptions): Promise<Fleet> {
    const fleet = new Fleet(options);
    try {
      await Promise.all(Array.from({ length: options.workers }, () => fleet.addWorker()));
      await Promise.all(Array.from({ length: options.gateways ?? 1 }, () => fleet.addGateway()));
      await fleet.everybodyKnown();
    } catch (err) {
      await fleet.end();
      throw err;
    }
    return fleet;
  }

  get gateway(): Child {
    return this.gateways[0]!;
  }

  async addWorker(): Promise<string> {
    const wk = this.nextName('w');
    const { slots = 64, url, workerUrl = url } = this.options;
    this.workers.set(wk, await startChild('worker', { ...this.common(), url: workerUrl, wk, slots }));
    return wk;
  }

  async addGateway(): Promise<void> {
    const { lossy = null, waitMs = 10_000 } = this.options;
    this.gateways.push(await startChild('gateway', { ...this.common(), gw: this.nextName('g'), lossy, waitMs }));
  }

  /** Resets between two tests: processes of gateways that live begin as other gateways, and those that ended are replaced. */
  async renew(gateways = 1): Promise<void> {
    await Promise.all(this.gateways.map(async (gateway) => await gateway.stop()));
    await this.idle();
    const living = this.gateways.splice(0).filter((gateway) => !gateway.hasEnded);
    this.gateways.push(...living.slice(0, gateways));
    await Promise.all(living.slice(gateways).map((gateway) => gateway.kill()));
    await Promise.all(this.gateways.map((gateway) => gateway.ask('begin', this.nextName('g'))));
    await Promise.all([
      ...Array.from({ length: this.options.workers - this.workers.size }, () => this.addWorker()),
      ...Array.from({ length: gateways - this.gateways.length }, () => this.addGateway()),
    ]);
    await this.everybodyKnown();
  }

  /** Waits until no worker has work. */
  async idle(): Promise<void> {
    await eventually(async () => (await this.allStats()).every(({ running, held }) => running === 0 && held === 0), 'workers are idle');
  }

  /** Name of one of the workers. */
  get someWorker(): string {
    return [...this.workers.keys()][0]!;
  }

  /** Waits until every gateway knows every worker. */
  async everybodyKnown(): Promise<void> {
    for (const gateway of this.gateways) {
      await eventually(async () => (await gateway.ask<string[]>('workers')).length === this.workers.size, 'gateways know all workers');
    }
  }

  /** Opens streams and waits for the first token of each. */
  async openAndFlow(load: Load, gateway = this.gateway): Promise<void> {
    await gateway.ask('open', load);
    await eventually(async () => (await gateway.ask<{ producing: number }>('progress')).producing === load.count, 'all streams produce');
  }

  async stats(wk: string): Promise<WorkerStats> {
    return await this.workers.get(wk)!.ask<WorkerStats>('stats');
  }

  /** Sum over the named workers. */
  async allStats(names: Iterable<string> = this.workers.keys()): Promise<WorkerStats[]> {
    return await Promise.all([...names].map((wk) => this.stats(wk)));
  }

  /** Kills a worker and forgets it. */
  async killWorker(wk: string): Promise<void> {
    const child = this.workers.get(wk)!;
    this.workers.delete(wk);
    await child.kill();
  }

  async end(): Promise<void> {
    await Promise.all([...this.workers.values(), ...this.gateways].map((child) => child.kill()));
  }

  private nextName(kind: 'w' | 'g'): string {
    this.started += 1;
    return `${kind}${this.started}`;
  }

  private common(): object {
    const { url, settings = {}, env = 'test', credentialsDir } = this.options;
    return { url, env, dep: 1, rev: 1, settings, credentialsDir };
  }
}

/** Polls until the condition holds, at a rate that does not load the processes. */
export async function eventually(holds: () => Promise<boolean> | boolean, what: string, withinMs = 20_000): Promise<void> {
  await until(what, holds, withinMs, POLL_MS);
}

/** Lets an outage or a freeze last; never used to wait for something to happen. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Streams that did not deliver every token of the oracle once and in order, up to a clean end. */
export const flawed = (results: readonly StreamResult[], tokens: number): StreamResult[] =>
  results.filter((r) => r.outcome !== 'end' || r.wrong > 0 || r.tokens !== tokens || r.usage?.completion !== tokens);

/** p50 and maximum, for printed figures. */
export function spread(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted.length === 0 ? 'none' : `p50 ${Math.round(sorted[sorted.length >> 1]!)} ms, max ${Math.round(sorted.at(-1)!)} ms`;
}

/** Prints a measurement of a fault run. */
export const report = (what: string, figures: string): void => void process.stdout.write(`[faults] ${what}: ${figures}\n`);
