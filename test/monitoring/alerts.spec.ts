import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { ClientRig } from '../services/client-rig.js';
import { ALERTS } from './alert-rules.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** In place of where an operator's people read docs/runbooks.md. */
const RUNBOOKS = 'https://slipway.example.com/docs/runbooks.md';
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

interface Panel {
  readonly title: string;
  readonly targets?: readonly { readonly expr: string }[];
}

const { panels } = JSON.parse(read('deploy/grafana/slipway.json')) as { panels: Panel[] };
const QUERIES = panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => ({ title, expr })));

/** The selectors of an expression, without the texts of its labels. */
const metricsIn = (expr: string): string[] =>
  [...expr.replaceAll(/"[^"]*"/g, '').matchAll(/\b(?:slipway|gen_ai|nodejs|process)_\w+/g)].map(([name]) => name.replace(/_bucket$/, ''));

let rig: ClientRig;
/** What all processes show. */
let scrape = '';

const shows = (metric: string): boolean => scrape.includes(`# TYPE ${metric} `);

beforeAll(async () => {
  rig = await ClientRig.start(['keys-service', 'deployments-service', 'inference-worker', 'gateway']);
  const tenant = await rig.tenant();
  const deployment = await rig.deployment(tenant.account, { slots: 2, replicas: 1 });
  await rig.whenServed({ path: `deployment-${deployment}`, key: tenant.key.value });
  const ports = (['keys-service', 'deployments-service', 'inference-worker', 'gateway'] as const).map((app) =>
    rig.process(app).port('ops.listening'),
  );
  await until('a request is counted', async () => {
    const texts = ports.map(async (port) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text());
    scrape = (await Promise.all(texts)).join('\n');
    return /gen_ai_server_request_duration_seconds_count\{[^}]*\} [1-9]/.test(scrape);
  });
});
afterAll(() => rig?.end());

it.each(ALERTS)('the alert $alert reads metrics that exist', ({ expr }) => {
  const metrics = metricsIn(expr);
  expect(metrics.length).toBeGreaterThan(0);
  expect(metrics.filter((metric) => !shows(metric))).toEqual([]);
});

it.each(ALERTS)('the alert $alert has a runbook', ({ alert, annotations: { summary, runbook_url: url } }) => {
  expect(url).toBe(`${RUNBOOKS}#${alert.toLowerCase()}`);
  expect(read('docs/runbooks.md').split('\n')).toContain(`## ${alert}`);
  expect(summary).not.toBe('');
});

it('every runbook belongs to an alert', () => {
  const headings = [...read('docs/runbooks.md').matchAll(/^## (.*)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(ALERTS.map(({ alert }) => alert));
});

it.each(QUERIES)('the panel $title shows metrics that exist', ({ expr }) => {
  const metrics = metricsIn(expr);
  expect(metrics.length).toBeGreaterThan(0);
  expect(metrics.filter((metric) => !shows(metric))).toEqual([]);
});

it('each owner of a feed counts its epochs', () => {
  expect(scrape).toMatch(/^slipway_feed_epochs_total\{feed="key",service="keys-service"\} 1$/m);
  expect(scrape).toMatch(/^slipway_feed_epochs_total\{feed="dep",service="deployments-service"\} 1$/m);
});

it('the services time their calls by method', () => {
  const calls = [...scrape.matchAll(/^slipway_rpc_seconds_count\{(.*)\} [1-9]/gm)].map(([, labels = '']) =>
    labels.split(',').toSorted((a, b) => a.localeCompare(b)),
  );
  expect(calls).toContainEqual(['method="key.create-key"', 'service="keys-service"']);
  expect(calls).toContainEqual(['method="dep.create-deployment"', 'service="deployments-service"']);
});
