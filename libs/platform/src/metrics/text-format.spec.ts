import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createMetrics } from './metrics.js';
import { metricText, type Samples } from './text-format.js';

/** Lines without their order of labels, which means nothing. */
const read = (text: string): unknown[] =>
  text.split('\n').map((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
    return name === undefined ? line : [name, labels.split(/,(?=\w+=")/).toSorted(), value];
  });

it('a scrape says what prom-client would say', async () => {
  const registers = [createMetrics('test')];
  const [registry] = registers as [Registry];
  new Counter({ name: 'counted_total', help: 'A \\ and\na line.', labelNames: ['word', 'service'], registers }).inc({
    word: 'a"b\\c\nd',
    service: 'own',
  });
  new Gauge({ name: 'plain', help: 'No label.', registers }).set(0.25);
  new Gauge({ name: 'endless', help: 'No end.', labelNames: ['n'], registers }).set({ n: 3 }, Infinity);
  const times = new Histogram({ name: 'times_seconds', help: 'Times.', buckets: [0.1, 1], labelNames: ['deployment'], registers });
  for (const [deployment, seconds] of [
    ['1', 0.05],
    ['2', 5],
  ] as const)
    times.observe({ deployment }, seconds);
  const ours = (await registry.metrics()).split('\n\n');
  for (const name of ['counted_total', 'plain', 'endless', 'times_seconds']) {
    const own = ours.find((text) => text.startsWith(`# HELP ${name} `)) ?? '';
    expect(read(own.trimEnd()), name).toEqual(read(await registry.getSingleMetricAsString(name)));
  }
});

it('values without labels have no braces', () => {
  const samples: Samples = { name: 'x', help: 'X.', type: 'gauge', values: [{ value: -Infinity }] };
  expect(metricText(samples, {})).toBe('# HELP x X.\n# TYPE x gauge\nx -Inf');
});
