import type { DeploymentId } from '@slipway/contracts';
import { Gauge, Histogram, type Registry } from '@slipway/platform/metrics';

/** What one deployment has now, as this gateway sees it. */
export interface DeploymentLoad {
  readonly id: DeploymentId;
  /** Streams of this gateway at its workers, and requests of this gateway that wait for a slot. */
  readonly inFlight: number;
  readonly waiting: number;
  /** Of its live workers together, as their heartbeats say: all gateways see the same. */
  readonly slots: number;
  readonly slotsUsed: number;
  /** Workers by state. */
  readonly replicas: Readonly<Record<ReplicaState, number>>;
}

/** `silent` = ready by its last heartbeat, which is too long ago. */
export const REPLICA_STATES = ['starting', 'ready', 'draining', 'silent'] as const;
export type ReplicaState = (typeof REPLICA_STATES)[number];

/** A generation that is over: times in milliseconds since its request came. */
export interface EndedRequest {
  readonly deployment: DeploymentId;
  readonly ms: number;
  /** Absent where nothing was generated. */
  readonly firstTokenMs: number | undefined;
  readonly completionTokens: number | undefined;
}

const LOAD_NAMES = ['inFlight', 'waiting', 'slots', 'slotsUsed'] as const;
type LoadGauges = Readonly<Record<(typeof LOAD_NAMES)[number], Gauge<'deployment'>>>;

/** Fewer than the GenAI conventions name: with theirs, 500 deployments would be 3 MB in each scrape. */
const DURATION_BUCKETS_S = [0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84];
const FIRST_TOKEN_BUCKETS_S = [0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];
const PER_TOKEN_BUCKETS_S = [0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 1, 2.5];

/** The label of all deployments above the bound. */
const OTHER = 'other';

/** Figures by deployment: an operator's own, bounded set. What exceeds `max` is counted together, as `other`. */
export class DeploymentMetrics {
  readonly #labelled = new Set<DeploymentId>();
  readonly #duration: Histogram<'deployment'>;
  readonly #firstToken: Histogram<'deployment'>;
  readonly #perToken: Histogram<'deployment'>;
  #loads: () => readonly DeploymentLoad[] = () => [];

  constructor(
    private readonly registry: Registry,
    private readonly max: number,
  ) {
    this.#duration = this.#histogram('request_duration', 'From a request to the end of its answer.', DURATION_BUCKETS_S);
    this.#firstToken = this.#histogram('time_to_first_token', 'From a request to the first output of its engine.', FIRST_TOKEN_BUCKETS_S);
    this.#perToken = this.#histogram('time_per_output_token', 'Mean time of the tokens behind the first one.', PER_TOKEN_BUCKETS_S);
  }

  /**
   * Registers the gauges.
   * @param loads all deployments that are wanted or have workers
   */
  observe(loads: () => readonly DeploymentLoad[]): void {
    this.#loads = loads;
    const replicas: Gauge<'deployment' | 'state'> = new Gauge({
      name: 'slipway_deployment_replicas',
      help: 'Workers by state; the same at all gateways.',
      labelNames: ['deployment', 'state'],
      registers: [this.registry],
      // The gauge that is read first sets all of them: each scrape looks at the workers once.
      collect: () => this.#collect(replicas, gauges),
    });
    const gauges: LoadGauges = {
      inFlight: this.#gauge('in_flight', 'Streams of this gateway at the workers.'),
      waiting: this.#gauge('waiting', 'Requests of this gateway that wait for a slot.'),
      slots: this.#gauge('slots', 'Slots of the live workers; the same at all gateways.'),
      slotsUsed: this.#gauge('slots_used', 'Slots that are taken; about the same at all gateways.'),
    };
  }

  /** Counts a generation that is over. */
  ended({ deployment: id, ms, firstTokenMs, completionTokens = 0 }: EndedRequest): void {
    const labels = { deployment: this.#labelOf(id) };
    this.#duration.observe(labels, ms / 1_000);
    if (firstTokenMs === undefined) return;
    this.#firstToken.observe(labels, firstTokenMs / 1_000);
    if (completionTokens > 1) this.#perToken.observe(labels, Math.max(0, ms - firstTokenMs) / 1_000 / (completionTokens - 1));
  }

  #labelOf(id: DeploymentId): string {
    if (!this.#labelled.has(id)) {
      if (this.#labelled.size >= this.max) return OTHER;
      this.#labelled.add(id);
    }
    return String(id);
  }

  #collect(replicas: Gauge<'deployment' | 'state'>, gauges: LoadGauges): void {
    const loads = this.#loads();
    this.#forgetAllBut(new Set(loads.map(({ id }) => id)));
    for (const gauge of [...Object.values(gauges), replicas]) gauge.reset();
    for (const load of loads) {
      const deployment = this.#labelOf(load.id);
      for (const name of LOAD_NAMES) gauges[name].inc({ deployment }, load[name]);
      for (const state of REPLICA_STATES) {
        const count = load.replicas[state];
        if (state === 'ready' || count > 0) replicas.inc({ deployment, state }, count);
      }
    }
  }

  /** Deployments that are gone leave their label to others. */
  #forgetAllBut(known: ReadonlySet<DeploymentId>): void {
    for (const id of this.#labelled) {
      if (known.has(id)) continue;
      this.#labelled.delete(id);
      for (const histogram of [this.#duration, this.#firstToken, this.#perToken]) histogram.remove({ deployment: String(id) });
    }
  }

  #histogram(name: string, help: string, buckets: number[]): Histogram<'deployment'> {
    return new Histogram({ name: `gen_ai_server_${name}_seconds`, help, buckets, labelNames: ['deployment'], registers: [this.registry] });
  }

  #gauge(name: string, help: string): Gauge<'deployment'> {
    return new Gauge({ name: `slipway_deployment_${name}`, help, labelNames: ['deployment'], registers: [this.registry] });
  }
}
