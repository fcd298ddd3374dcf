import type { DeploymentId, GatewayLoad } from '@slipway/contracts';
import { LoadTable } from '../load/load-table.js';
import { type ReplicaRange, scaleReplicas, type ScaleState } from './scale-replicas.js';

const TICK_MS = 250;
const REPORT_MS = 2_000;
const QUEUE_WAIT_MS = 10_000;
const DEP = 1 as DeploymentId;

interface Replica {
  readonly readyAt: number;
  /** When each of its running requests ends. */
  running: number[];
  leaving: boolean;
}

/** What a simulation is made of; times in milliseconds. */
export interface FleetOptions {
  readonly range: ReplicaRange;
  /** Requests per second at a time. */
  readonly rate: (at: number) => number;
  readonly slots?: number;
  readonly serveMs?: number;
  readonly loadMs?: number;
  readonly downAfterMs?: number;
  /** Number of replicas that the agents hold at most. */
  readonly agents?: (at: number) => number;
  /** True while the reports of gateways are lost. */
  readonly isDeaf?: (at: number) => boolean;
}

/** Numbers from 0 to 1, the same for each run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return state / 2 ** 32;
  };
}

/** A deployment under load in virtual time: requests arrive at random, wait for a slot at most 10 s, and are reported each 2 s. */
export class SimulatedFleet {
  now = 0;
  /** The numbers of replicas that it was scaled to, with their times. */
  readonly changes: { at: number; replicas: number }[] = [];
  refused = 0;
  #replicas: Replica[];
  #queue: number[] = [];
  #scaledTo: number;
  #state: ScaleState | undefined;
  readonly #random = randomNumbers(1);
  readonly #loads = new LoadTable(() => this.now);
  readonly #options: Required<FleetOptions>;

  constructor(options: FleetOptions) {
    const defaults = { slots: 4, serveMs: 2_000, loadMs: 5_000, downAfterMs: 300_000, agents: () => Infinity, isDeaf: () => false };
    this.#options = { ...defaults, ...options };
    this.#scaledTo = options.range.min;
    this.#replicas = Array.from({ length: options.range.min }, () => ({ readyAt: 0, running: [], leaving: false }));
  }

  get replicas(): number {
    return this.#scaledTo;
  }

  /** Replicas that the load calls for. */
  get wanted(): number {
    return this.#state?.wanted ?? 0;
  }

  /** Another placer is elected: it has the stored number alone. */
  elect(): void {
    this.#state = undefined;
  }

  run(seconds: number): void {
    for (const end = this.now + seconds * 1_000; this.now < end; this.now += TICK_MS) {
      this.#serve();
      if (this.now % REPORT_MS === 0 && !this.#options.isDeaf(this.now)) this.#report();
      if (this.now % 1_000 === 0) this.#scale();
      this.#place();
    }
  }

  #serve(): void {
    const { rate, serveMs, slots } = this.#options;
    for (const replica of this.#replicas) replica.running = replica.running.filter((endsAt) => endsAt > this.now);
    this.#replicas = this.#replicas.filter(({ leaving, running }) => !leaving || running.length > 0);
    // A sum of 12 arrivals with a twelfth of the probability each is near enough to a Poisson process.
    for (let i = 0; i < 12; i += 1) {
      const expected = (rate(this.now) * TICK_MS) / 12_000;
      for (let n = Math.floor(expected); n > 0; n -= 1) this.#queue.push(this.now);
      if (this.#random() < expected % 1) this.#queue.push(this.now);
    }
    const patient = this.#queue.filter((since) => this.now - since < QUEUE_WAIT_MS);
    this.refused += this.#queue.length - patient.length;
    this.#queue = patient;
    for (const { running } of this.#serving()) {
      while (running.length < slots && this.#queue.shift() !== undefined) running.push(this.now + serveMs * (0.5 + this.#random()));
    }
  }

  #serving(): Replica[] {
    return this.#replicas.filter(({ readyAt, leaving }) => readyAt <= this.now && !leaving);
  }

  #report(): void {
    const inFlight = this.#replicas.reduce((sum, { running }) => sum + running.length, 0);
    const queued = this.#queue.length;
    const half = { dep: DEP, in_flight: Math.floor(inFlight / 2), queued: Math.floor(queued / 2) };
    const rest = { dep: DEP, in_flight: inFlight - half.in_flight, queued: queued - half.queued };
    for (const [gw, load] of Object.entries({ one: half, two: rest })) this.#loads.report({ gw, loads: [load] } as unknown as GatewayLoad);
  }

  #scale(): void {
    const { inFlight, queued } = this.#loads.of(DEP);
    const { range, slots, downAfterMs, agents } = this.#options;
    const kept = this.#replicas.filter(({ leaving }) => !leaving).length;
    const { replicas, state } = scaleReplicas(this.#state, {
      ...{ now: this.now, range, slots, downAfterMs, replicas: this.#scaledTo, assigned: kept, ready: this.#serving().length },
      requests: inFlight + queued,
      room: () => agents(this.now) - this.#replicas.length,
    });
    this.#state = state;
    if (replicas !== this.#scaledTo) this.changes.push({ at: this.now, replicas });
    this.#scaledTo = replicas;
  }

  #place(): void {
    const kept = this.#replicas.filter(({ leaving }) => !leaving);
    const room = this.#options.agents(this.now) - this.#replicas.length;
    for (let n = Math.min(this.#scaledTo - kept.length, room); n > 0; n -= 1) {
      this.#replicas.push({ readyAt: this.now + this.#options.loadMs, running: [], leaving: false });
    }
    const emptiest = kept.toSorted((a, b) => a.running.length - b.running.length);
    for (const replica of emptiest.slice(0, Math.max(0, kept.length - this.#scaledTo))) replica.leaving = true;
  }
}
