import { Counter, Gauge, Histogram, type Registry } from '@slipway/platform/metrics';
import { type DeploymentLoad, DeploymentMetrics, type EndedRequest } from './deployment-metrics.js';
import type { InferenceFields } from './inference-line.js';

/** Sources of the gauges. */
export interface Gauges {
  readonly activeStreams: () => number;
  readonly waiting: () => number;
  readonly workers: () => number;
  readonly keys: () => number;
  /** Age of the key and deployment indexes, in milliseconds. */
  readonly feedAges: () => Readonly<Record<string, number>>;
  /** Counters of the stream transport. */
  readonly transport: () => Readonly<Record<string, number>>;
  /** Usage records since the start: stored, repeated and dropped. */
  readonly usage: () => Readonly<Record<string, number>>;
  /** Usage records that wait to be stored. */
  readonly usageWaiting: () => number;
  /** Deployments that are wanted or have workers. */
  readonly deployments: () => readonly DeploymentLoad[];
}

/** Errors of credentials. A rise shows an attack or a failed rotation. */
const KEY_REFUSALS: ReadonlySet<string> = new Set([
  'missing_api_key',
  'invalid_api_key',
  'ambiguous_credentials',
  'insufficient_scope',
  'auth_unavailable',
]);
const TTFT_BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** The gateway's metrics. Labels are closed sets: status classes, codes, kinds, and a bounded number of deployments. */
export class GatewayMetrics {
  readonly #requests: Counter<'status_class' | 'stream'>;
  readonly #refusedKeys: Counter<'code'>;
  readonly #ttft: Histogram;
  /** Sums that are read with the page: three labelled counts for each request would cost it more. */
  readonly #tokens = { prompt: 0, cached: 0, completion: 0 };

  readonly #deployments: DeploymentMetrics;

  /** @param deploymentsMax deployments with a label of their own */
  constructor(
    private readonly registry: Registry,
    deploymentsMax: number,
  ) {
    const registers = [registry];
    this.#deployments = new DeploymentMetrics(registry, deploymentsMax);
    this.#requests = new Counter({
      name: 'slipway_gateway_requests_total',
      help: 'Requests answered.',
      labelNames: ['status_class', 'stream'],
      registers,
    });
    this.#refusedKeys = new Counter({
      name: 'slipway_gateway_refused_keys_total',
      help: 'Requests refused for their credentials.',
      labelNames: ['code'],
      registers,
    });
    this.#ttft = new Histogram({
      name: 'slipway_gateway_time_to_first_token_seconds',
      help: 'From the request to the first output of its engine.',
      buckets: TTFT_BUCKETS_S,
      registers,
    });
    const help = 'Tokens by kind: prompt, cached (part of prompt), completion.';
    this.#counted('slipway_gateway_tokens_total', help, 'kind', () => this.#tokens);
  }

  /** Registers the gauges. */
  observe(gauges: Gauges): void {
    this.#gauge('slipway_gateway_active_streams', 'Inference responses in progress.', gauges.activeStreams);
    this.#gauge('slipway_gateway_waiting_requests', 'Requests that wait for a slot.', gauges.waiting);
    this.#gauge('slipway_gateway_live_workers', 'Runners with a heartbeat within the last 3 s.', gauges.workers);
    this.#gauge('slipway_gateway_known_keys', 'Keys in the index.', gauges.keys);
    this.#labelled('slipway_gateway_feed_age_ms', 'Time since a round trip proved the feed fresh.', 'feed', gauges.feedAges);
    this.#counted('slipway_gateway_transport_events_total', 'Events of the stream transport.', 'event', gauges.transport);
    this.#counted('slipway_gateway_usage_records_total', 'Records of usage.', 'state', gauges.usage);
    this.#gauge('slipway_gateway_usage_records_waiting', 'Records of usage that wait to be stored.', gauges.usageWaiting);
    this.#deployments.observe(gauges.deployments);
  }

  /** Counts a finished request. */
  requestEnded({ status = 0, stream, error }: InferenceFields): void {
    this.#requests.inc({ status_class: `${Math.floor(status / 100)}xx`, stream: String(stream ?? 'none') });
    if (error !== undefined && KEY_REFUSALS.has(error)) this.#refusedKeys.inc({ code: error });
  }

  /** @param ms from the request to the first output. */
  firstToken(ms: number): void {
    this.#ttft.observe(ms / 1000);
  }

  /** Counts a generation that is over, by its deployment. */
  ended(request: EndedRequest): void {
    this.#deployments.ended(request);
  }

  tokens(counts: Readonly<Record<'prompt' | 'cached' | 'completion', number>>): void {
    this.#tokens.prompt += counts.prompt;
    this.#tokens.cached += counts.cached;
    this.#tokens.completion += counts.completion;
  }

  #gauge(name: string, help: string, read: () => number): void {
    const gauge: Gauge = new Gauge({ name, help, registers: [this.registry], collect: () => gauge.set(read()) });
  }

  /** A counter whose value is kept elsewhere. */
  #counted(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void {
    const counter: Counter = new Counter({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: () => {
        counter.reset();
        for (const [value, count] of Object.entries(read())) counter.inc({ [label]: value }, count);
      },
    });
  }

  #labelled(name: string, help: string, label: string, read: () => Readonly<Record<string, number>>): void {
    const gauge = new Gauge({
      name,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect: () => {
        for (const [value, figure] of Object.entries(read())) gauge.set({ [label]: value }, figure);
      },
    });
  }
}
