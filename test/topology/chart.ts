import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import type { z } from 'zod';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** The Helm chart's folder. */
export const CHART = join(root, 'deploy/chart/slipway');

/** Value files that show ways to run the chart, by name. */
export const VALUE_FILES = readdirSync(join(CHART, 'ci')).map((name) => name.replace('.yaml', ''));

export type Values = Record<string, unknown>;

/** Components of the chart and the apps that they run. */
export const APPS: Readonly<Record<string, string>> = {
  gateway: 'gateway',
  keys: 'keys-service',
  deployments: 'deployments-service',
  console: 'console',
  tuning: 'tuning-service',
  training: 'training-worker',
  worker: 'inference-worker',
};

/** Reads a YAML file below the chart. */
export const readValues = (path: string): Values => parse(readFileSync(join(CHART, path), 'utf8')) as Values;

const isTable = (value: unknown): value is Values => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Merges values as Helm does: tables by key, all else whole. */
export function mergeValues(below: Values, above: Values): Values {
  const merged = Object.entries(above).map(([name, value]) => {
    const former = below[name];
    return [name, isTable(former) && isTable(value) ? mergeValues(former, value) : value];
  });
  return { ...below, ...(Object.fromEntries(merged) as Values) };
}

/** Value files that values.schema.json must refuse, and the word by which its message names the fault. */
export const WRONG_VALUES: readonly (readonly [title: string, values: Values, names: string])[] = [
  ['an unknown value', { gatway: {} }, 'gatway'],
  ['an environment that is no name', { env: 'Prod' }, 'env'],
  ['a setting that the gateway does not have', { gateway: { settings: { CONNECTION_MAX: 1 } } }, 'CONNECTION_MAX'],
  ['a secret among the settings', { keys: { settings: { KEY_PEPPERS: 'p1:00' } } }, 'KEY_PEPPERS'],
  ['a cluster of two NATS nodes', { nats: { replicas: 2 } }, 'replicas'],
  ['NATS servers without an address', { nats: { enabled: false } }, 'url'],
  ['a limit of CPU time', { gateway: { resources: { limits: { cpu: '2' } } } }, 'limits'],
  ['KEDA without a Prometheus', { workerPools: [{ name: 'a', autoscaling: { kind: 'keda' } }] }, 'prometheus'],
  ['a pool whose name is no label', { workerPools: [{ name: 'GPU_1' }] }, 'name'],
  ['two sources of one volume', { workerDefaults: { modelsVolume: { nfs: {}, hostPath: {} } } }, 'modelsVolume'],
  ['blobs of two replicas on a volume of one node', { tuning: { replicas: 2 } }, 'accessMode'],
  ['a provider of identities without a client', { oidc: { issuer: 'https://login.example.com' } }, 'clientId'],
  ['alerts without runbooks', { alerts: { enabled: true } }, 'runbookBase'],
  ['a collector that is no URL', { tracing: { endpoint: 'collector:4317' } }, 'endpoint'],
  ['certificates without an issuer', { tls: { certManager: { enabled: true } } }, 'issuer'],
  [
    'certificates from two sources',
    { tls: { certManager: { enabled: true, issuer: { name: 'ca' } }, existingSecret: 'mine' } },
    'existingSecret',
  ],
  ['a route without a parent', { httpRoute: { enabled: true } }, 'parentRefs'],
];

/** The configuration that an app reads from its environment. */
export async function configOf(app: string): Promise<z.ZodObject> {
  const exported = Object.values((await import(`${root}/apps/${app}/src/config.ts`)) as Record<string, unknown>);
  return exported.find((value) => typeof value === 'object' && value !== null && 'shape' in value) as z.ZodObject;
}
