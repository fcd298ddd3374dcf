// Beside the index of the library, because prom-client is a fifth of what a process loads that has no metrics, such as a runner.
export { Counter, createMetrics, Gauge, Histogram, Registry } from './metrics.js';
