import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import type { z } from 'zod';
import { REPOSITORY } from '../launcher/launcher.js';
import type { Ready } from './stack.js';

/** What `npm start` makes by itself, or what names a server that a test does not have. */
const MADE_HERE = new Set([
  ...[
    'SLIPWAY_ENV',
    'NATS_URL',
    'NATS_CREDENTIALS_DIR',
    'NATS_CA',
    'NATS_CERT',
    'NATS_KEY',
    'NATS_SERVER_BIN',
    'OPS_PORT',
    'DRAIN_MS',
    'HOST',
    'PORT',
  ],
  ...[
    'DATABASE_URL',
    'MIGRATE',
    'KEYS_DATABASE_URL',
    'DEPLOYMENTS_DATABASE_URL',
    'TUNING_DATABASE_URL',
    'SLIPWAY_SECRET_KEY',
    'KEY_PEPPERS',
  ],
  ...['CONSOLE_HOST', 'CONSOLE_PORT', 'GATEWAY_URL', 'DASHBOARD_DIR', 'MODEL_DIRS', 'MODEL_HOSTS', 'ENGINE_HOSTS', 'MODEL_CACHE_DIR'],
  ...['BLOB_DIR', 'BLOB_URL', 'BLOB_PORT', 'BLOB_DOOR_URL', 'BLOB_CA', 'BLOB_CERT', 'BLOB_KEY', 'TRAINING_DIR', 'TRAINERS_DIR', 'TRAINERS'],
  ...['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
]);
/** A page that may call the inference API. */
export const ORIGIN = 'https://app.example';

/** Every other setting that is written down, with a value that its readers accept. */
const SETTINGS: Readonly<Record<string, string | undefined>> = Object.fromEntries(
  Object.entries(parseEnv(readFileSync(join(REPOSITORY, '.env.example'), 'utf8').replaceAll(/^# (?=[A-Z][A-Z0-9_]*=)/gm, ''))).filter(
    ([name]) => !MADE_HERE.has(name),
  ),
);

/** An environment for `npm start` that has every setting. */
export const everySetting: NodeJS.ProcessEnv = {
  ...SETTINGS,
  CORS_ORIGINS: ORIGIN,
  IMAGE_HOSTS: 'images.example',
  DATASET_HOSTS: 'files.example',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
  // More threads than cores wait for each other.
  DEFAULT_THREADS: '1',
  // A worker starts with a program that is there alone.
  LLAMA_SERVER: process.execPath,
};

async function namesReadBy(app: string): Promise<string[]> {
  const exported = Object.values((await import(`${REPOSITORY}/apps/${app}/src/config.ts`)) as Record<string, unknown>);
  const schema = exported.find((value): value is z.ZodObject => typeof value === 'object' && value !== null && 'shape' in value);
  return Object.keys(schema?.shape ?? {});
}

/** Each app with the process that runs it. */
export const APPS = [
  ['control-plane', 'keys-service'],
  ['control-plane', 'deployments-service'],
  ['control-plane', 'tuning-service'],
  ['control-plane', 'training-worker'],
  ['worker-1', 'inference-worker'],
  ['gateway-1', 'gateway'],
  ['console', 'console'],
] as const;

/** Names of the variables that an app gets: from its process's environment, or from its part of SERVICES. */
function namesGivenTo(processes: Ready['processes'], name: string, app: string): Set<string> {
  const pid = processes.find((one) => one.name === name)?.pid;
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const given = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  const services = JSON.parse(given['SERVICES'] ?? '{}') as Record<string, Record<string, string>>;
  return new Set(Object.keys(services[app] ?? given));
}

/** The settings that an app reads, and those of them that it is not given. */
export async function settingsOf(processes: Ready['processes'], name: string, app: string): Promise<{ read: string[]; missing: string[] }> {
  const given = namesGivenTo(processes, name, app);
  const read = (await namesReadBy(app)).filter((one) => one in SETTINGS);
  return { read, missing: read.filter((one) => !given.has(one)) };
}
