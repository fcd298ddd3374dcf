import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { z } from 'zod';
import { Launcher, REPOSITORY, type Ready, freePort, processesOf, removeFolder, temporaryFolder } from './launcher.js';

/** What `npm start` makes by itself, or what names a server that a test does not have. */
const MADE_HERE = new Set([
  ...['SLIPWAY_ENV', 'NATS_URL', 'NATS_CREDENTIALS_DIR', 'NATS_SERVER_BIN', 'OPS_PORT', 'DRAIN_MS', 'HOST', 'PORT'],
  ...['DATABASE_URL', 'KEYS_DATABASE_URL', 'DEPLOYMENTS_DATABASE_URL', 'TUNING_DATABASE_URL', 'SLIPWAY_SECRET_KEY', 'KEY_PEPPERS'],
  ...['CONSOLE_HOST', 'CONSOLE_PORT', 'GATEWAY_URL', 'DASHBOARD_DIR', 'MODEL_DIRS', 'MODEL_HOSTS', 'ENGINE_HOSTS', 'MODEL_CACHE_DIR'],
  ...['BLOB_DIR', 'BLOB_URL', 'BLOB_PORT', 'BLOB_DOOR_URL', 'TRAINING_DIR', 'TRAINERS_DIR', 'TRAINERS'],
  ...['OIDC_ISSUER', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'],
]);
const ORIGIN = 'https://app.example';

/** Every other setting that is written down, with a value that its readers accept. */
const settings = Object.fromEntries(
  Object.entries(parseEnv(readFileSync(join(REPOSITORY, '.env.example'), 'utf8').replaceAll(/^# (?=[A-Z][A-Z0-9_]*=)/gm, ''))).filter(
    ([name]) => !MADE_HERE.has(name),
  ),
);

let dataDir: string;
let launcher: Launcher;
let ready: Ready;

beforeAll(async () => {
  dataDir = await temporaryFolder();
  const port = String(await freePort());
  // A worker starts with a program that is there alone.
  const environment = {
    ...settings,
    CORS_ORIGINS: ORIGIN,
    IMAGE_HOSTS: 'images.example',
    DATASET_HOSTS: 'files.example',
    LLAMA_SERVER: process.execPath,
  };
  launcher = new Launcher(['--json', '--data-dir', dataDir, '--port', port], { environment });
  ready = await launcher.ready();
});
afterAll(async () => {
  await launcher.stop();
  for (const line of processesOf(dataDir)) process.kill(Number(line.split(' ')[0]), 'SIGKILL');
  await removeFolder(dataDir);
});

async function namesReadBy(app: string): Promise<string[]> {
  const exported = Object.values((await import(`${REPOSITORY}/apps/${app}/src/config.ts`)) as Record<string, unknown>);
  const schema = exported.find((value): value is z.ZodObject => typeof value === 'object' && value !== null && 'shape' in value);
  return Object.keys(schema?.shape ?? {});
}

const APPS = [
  ['control-plane', 'keys-service'],
  ['control-plane', 'deployments-service'],
  ['control-plane', 'tuning-service'],
  ['control-plane', 'training-worker'],
  ['worker-1', 'inference-worker'],
  ['gateway-1', 'gateway'],
  ['console', 'console'],
] as const;

/** Names of the variables that an app gets: from its process's environment, or from its part of SERVICES. */
function namesGivenTo(app: string, name: string): Set<string> {
  const pid = ready.processes.find((one) => one.name === name)?.pid;
  const lines = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const given = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  const services = JSON.parse(given['SERVICES'] ?? '{}') as Record<string, Record<string, string>>;
  return new Set(Object.keys(services[app] ?? given));
}

it.each(APPS)('%s gives every setting to %s', async (name, app) => {
  const documented = namesGivenTo(app, name);
  const wanted = (await namesReadBy(app)).filter((one) => one in settings);
  expect(wanted).toContain('LOG_LEVEL');
  expect(wanted.filter((one) => !documented.has(one))).toEqual([]);
});

it('CORS_ORIGINS reaches the inference API', async () => {
  const headers = { origin: ORIGIN, 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const answer = await fetch(`${ready.gateways[0]}/${ready.deployment}/v1/chat/completions`, { method: 'OPTIONS', headers });
  expect(answer.headers.get('access-control-allow-origin')).toBe(ORIGIN);
});
