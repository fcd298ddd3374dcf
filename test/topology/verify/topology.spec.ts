import { chmod, chown, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type TestPostgres, startOwnPostgres } from '@slipway/testing';
import OpenAI from 'openai';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until as poll } from '../../testing/until.js';
import { readComposeFile } from '../compose-file.js';
import type { ComposedProcess } from '../composed-process.js';
import { ComposedTopology, instancesOf } from '../composed-topology.js';
import { readDockerIgnore } from '../docker-ignore.js';
import { parseDockerfile } from '../dockerfile.js';
import { type Image, ImageBuilder } from '../image-builder.js';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const compose = readComposeFile(join(root, 'docker-compose.yml'));
const NODES = ['nats-1', 'nats-2', 'nats-3'];
/** Containers that run permanently, unordered; `postgres` is the bundled one. */
const LASTING = instancesOf(compose).filter(
  ({ service }) => !service.profiles && service.restart !== 'no' && service.image.match(/^(slipway|nats)/),
);
const messages = [{ role: 'user' as const, content: 'Who are you?' }];

/** Polls within the time that a whole fleet needs on one machine. */
async function until(what: string, probe: () => Promise<boolean>): Promise<void> {
  await poll(what, probe, 120_000, 100);
}

let folder: string;
let postgres: TestPostgres;
let topology: ComposedTopology;
const images = new Map<string, Image>();
const running = new Map<string, ComposedProcess>();
const processOf = (name: string): ComposedProcess => running.get(name)!;

/** Like `docker compose run --rm`. */
async function runOnce(name: string, args?: readonly string[]): Promise<string> {
  const once = await topology.prepare(name, args);
  once.start();
  expect([await once.end(), once.log]).toEqual([0, expect.any(String)]);
  return once.log;
}

async function start(name: string): Promise<void> {
  const started = running.get(name) ?? (await topology.prepare(name));
  running.set(name, started);
  started.start();
}

const healthy = (name: string): Promise<void> =>
  until(`${name} is healthy`, () => processOf(name).isHealthy()).catch((cause: unknown) => {
    throw new Error(`${name} is not healthy:\n${processOf(name).log.slice(-4_000)}`, { cause });
  });

async function buildImages(): Promise<void> {
  const builder = new ImageBuilder({
    dockerfile: parseDockerfile(join(root, 'Dockerfile')),
    source: root,
    context: readDockerIgnore(join(root, '.dockerignore')),
    folder: join(folder, 'images'),
  });
  for (const { image, build } of Object.values(compose.services)) {
    if (build && build.args === undefined && !images.has(image)) images.set(image, await builder.build(build.target));
  }
}

/** Gives PostgreSQL the superuser's password and the certificate that the container would have. */
async function takeSecrets(): Promise<void> {
  const password = await readFile(join(topology.secrets, 'postgres/password'), 'utf8');
  const client = new Client({ connectionString: postgres.url });
  await client.connect();
  await client.query(`ALTER ROLE postgres PASSWORD '${password}'`);
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  const data = rows[0]?.data_directory ?? '';
  const { uid, gid } = await stat(data);
  for (const [from, to] of [['postgres.pem', 'server.crt'] as const, ['postgres.key', 'server.key'] as const]) {
    await writeFile(join(data, to), await readFile(join(topology.secrets, 'postgres', from)), { mode: 0o600 });
    await chown(join(data, to), uid, gid);
  }
  await client.query('ALTER SYSTEM SET ssl = on');
  await client.query('SELECT pg_reload_conf()');
  await client.end();
}

/** The commands of deploy/README.md for a first start, in order; those of later sections need the profiles that they name. */
async function runReadme(): Promise<string> {
  const [, start = ''] = (await readFile(join(root, 'deploy/README.md'), 'utf8')).split(/^## First account.*$/m);
  const lines = start.replace(/^## [^]*/m, '').split('\n');
  const commands = lines.filter((line) => line.startsWith('docker compose run --rm cli ')).map((line) => line.split(' ').slice(5));
  expect(commands.length).toBeGreaterThan(3);
  let printed = '';
  for (const words of commands) {
    const here = words.map((word) => word.replace('/models', join(folder, 'mounts/models')));
    printed += await runOnce('cli', here);
  }
  return printed;
}

let clients: OpenAI[];
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-topology-'));
  // The containers' users must be able to enter the folder.
  await chmod(folder, 0o755);
  await buildImages();
  postgres = await startOwnPostgres();
  const { host } = new URL(postgres.url);
  topology = await ComposedTopology.lay({ compose, images, root, folder, postgres: host });
  await runOnce('init');
  await takeSecrets();
  await runOnce('databases');
  for (const { name } of LASTING) await start(name);
  for (const { name } of LASTING) await healthy(name);
  await runOnce('streams');
  const key = /svc_dep_[A-Za-z0-9]+/.exec(await runReadme())?.[0] ?? '';
  const gateways = ['gateway-1', 'gateway-2'].map((name) => `http://127.0.0.1:${topology.portOf(name, 8080)}/local/demo/v1`);
  clients = gateways.map((baseURL) => new OpenAI({ baseURL, apiKey: key, maxRetries: 0 }));
}, 1_200_000);

afterAll(async () => {
  await Promise.all([...running.values()].map((one) => one.stop('SIGKILL')));
  await postgres?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
}, 120_000);

const ask = async (client: OpenAI): Promise<string> => {
  const answer = await client.chat.completions.create({ model: 'demo', messages, temperature: 0 });
  return answer.choices[0]?.message.content ?? '';
};

async function askStreaming(client: OpenAI): Promise<string> {
  let text = '';
  const stream = await client.chat.completions.create({ model: 'demo', messages, temperature: 0, stream: true });
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? '';
  return text;
}

describe('docker-compose.yml as processes, from what the Dockerfile builds', () => {
  it('answers the official SDK at both gateways', async () => {
    // A key and an alias reach the gateways within moments, not at once.
    await until('both gateways know the key', async () =>
      (await Promise.allSettled(clients.map(ask))).every(({ status }) => status === 'fulfilled'),
    );
    for (const client of clients) {
      expect(await ask(client)).toMatch(/demo model/);
      expect(await askStreaming(client)).toBe(await ask(client));
    }
  });

  it('has three NATS nodes in one JetStream cluster', async () => {
    const port = topology.portOf('nats-1', 8222);
    await until('the cluster has a leader and three members', async () => {
      const answer = (await (await fetch(`http://127.0.0.1:${port}/jsz`)).json()) as {
        meta_cluster?: { leader?: string; cluster_size?: number };
      };
      return Boolean(answer.meta_cluster?.leader) && answer.meta_cluster?.cluster_size === 3;
    });
  });

  it.each(NODES)('answers at both gateways without %s', async (node) => {
    let stopped = false;
    let answered = 0;
    const failures: unknown[] = [];
    const keepAsking = async (client: OpenAI, how: (client: OpenAI) => Promise<string>): Promise<void> => {
      while (!stopped) {
        try {
          expect(await how(client)).toMatch(/demo model/);
          answered += 1;
        } catch (error) {
          failures.push(error);
        }
      }
    };
    const asking = clients.flatMap((client) => [keepAsking(client, ask), keepAsking(client, askStreaming)]);
    const answers = (count: number): Promise<void> => {
      const goal = answered + count;
      return until(`${count} more answers`, () => Promise.resolve(answered >= goal || failures.length > 0));
    };
    await answers(8);
    await processOf(node).stop('SIGKILL');
    await answers(24);
    await start(node);
    await healthy(node);
    await answers(8);
    stopped = true;
    await Promise.all(asking);
    expect(failures).toEqual([]);
    for (const { name } of LASTING) await healthy(name);
  });

  it.runIf(process.platform === 'linux' && process.getuid?.() === 0)('runs only agents as root', async () => {
    const users = LASTING.map(
      async ({ name }) => /^Uid:\s+(\d+)/m.exec(await readFile(`/proc/${processOf(name).pid}/status`, 'utf8'))?.[1],
    );
    expect(await Promise.all(users)).toEqual(LASTING.map(({ name }) => (name.startsWith('worker') ? '0' : '1000')));
  });

  it('keeps the databases of the services apart', async () => {
    const variables = await readFile(join(topology.secrets, 'keys/service.env'), 'utf8');
    const url = new URL(/KEYS_DATABASE_URL=(.*)/.exec(variables)?.[1] ?? '');
    url.host = new URL(postgres.url).host;
    url.searchParams.set('sslrootcert', join(topology.secrets, 'ca/ca.pem'));
    const own = new Client({ connectionString: url.href });
    await own.connect();
    await own.end();
    url.pathname = '/slipway_dev_deployments';
    const foreign = new Client({ connectionString: url.href });
    await expect(foreign.connect()).rejects.toThrow(/permission denied/);
  });

  it('writes no secret into any log', async () => {
    const textsOf = (value: unknown): string[] =>
      typeof value === 'string' ? [value.replace(/^p1:/, '')] : Object.values(value as object).flatMap(textsOf);
    // The certificate of an authority is public.
    const values = textsOf(JSON.parse(await readFile(join(topology.secrets, 'secrets.json'), 'utf8'))).filter(
      (value) => !value.startsWith('-----BEGIN CERTIFICATE'),
    );
    expect(values.length).toBeGreaterThan(5);
    const leaks = [...running].filter(([, { log }]) => values.some((value) => log.includes(value)));
    expect(leaks.map(([name]) => name)).toEqual([]);
  });

  it('stops every process of ours in order', async () => {
    const ours = LASTING.filter(({ service }) => service.build).map(({ name }) => name);
    const codes = await Promise.all(ours.map(async (name) => [name, await processOf(name).stop('SIGTERM')]));
    expect(codes).toEqual(ours.map((name) => [name, 0]));
  });
});
