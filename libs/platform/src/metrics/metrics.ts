import { collectDefaultMetrics, Registry } from 'prom-client';

export { Counter, Gauge, Histogram, Registry } from 'prom-client';

/**
 * How often Node looks at the lag of the event loop, in milliseconds. Each look wakes the process: at 10 ms, the default of
 * prom-client, this is most of what a process at rest does. The figures include this period, so they begin at 0.1 s.
 */
const LAG_PERIOD_MS = 100;

/** A registry with the process's own figures (memory, event loop, CPU). Labels are closed sets, never ids. */
export function createMetrics(service: string): Registry {
  const registry = new Registry();
  registry.setDefaultLabels({ service });
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LAG_PERIOD_MS });
  return registry;
}
