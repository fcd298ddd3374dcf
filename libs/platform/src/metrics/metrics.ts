import { setImmediate } from 'node:timers/promises';
import { PROTOCOL } from '@slipway/contracts';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { SLIPWAY_VERSION } from '../config/version.js';
import { type Labels, metricText, type Samples } from './text-format.js';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * Sampling period of the event-loop lag, in milliseconds. Each sample wakes the process: at prom-client's default of 10 ms this is
 * most of the work of an idle process. Values include the period, so they begin at 0.1 s.
 */
const LAG_PERIOD_MS = 100;

interface Readable {
  get(): Promise<Samples>;
  /** Histograms have it: labels that all buckets of a series share come by themselves. */
  getForPromString?(): Promise<Samples>;
}

/**
 * Measures lag and collections of garbage from the first scrape on, so that a process without scrapes can rest. Metrics are
 * written one after the other, each in a turn of the event loop of its own: a scrape of 500 deployments has 17,000 lines, and
 * streams wait no longer than for the largest metric.
 */
class ProcessRegistry extends Registry {
  #collects = false;
  #defaults: Labels = {};

  override setDefaultLabels(labels: Labels): void {
    this.#defaults = labels;
    super.setDefaultLabels(labels);
  }

  override async metrics(): Promise<string> {
    if (!this.#collects) collectDefaultMetrics({ register: this, eventLoopMonitoringPrecision: LAG_PERIOD_MS });
    this.#collects = true;
    const texts: string[] = [];
    for (const metric of this.getMetricsAsArray() as unknown as Readable[]) {
      texts.push(metricText(await (metric.getForPromString?.() ?? metric.get()), this.#defaults));
      await setImmediate();
    }
    return `${texts.join('\n\n')}\n`;
  }
}

/** A registry with the process's own figures (memory, event loop, CPU) and its release. Labels are closed sets, never ids. */
export function createMetrics(service: string): Registry {
  const registry = new ProcessRegistry();
  registry.setDefaultLabels({ service });
  const labelNames = ['version', 'protocol'] as const;
  new Gauge({ name: 'slipway_build_info', help: 'Always 1.', labelNames, registers: [registry] }).set(
    { version: SLIPWAY_VERSION, protocol: PROTOCOL },
    1,
  );
  return registry;
}

const RPC_BUCKETS_S = [0.002, 0.01, 0.05, 0.25, 0.5, 1, 5];

/** Observes how long calls take that a service answers, by method: a closed set, of the contracts that it serves. */
export function rpcTimer(registry: Registry): (method: string, seconds: number) => void {
  const times = new Histogram({
    name: 'slipway_rpc_seconds',
    help: 'From a call to its answer.',
    buckets: RPC_BUCKETS_S,
    labelNames: ['method'] as const,
    registers: [registry],
  });
  return (method, seconds) => times.observe({ method }, seconds);
}
