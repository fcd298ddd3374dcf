import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { loadConfig } from '@slipway/platform';
import { Ajv } from 'ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { type ComposeService, mountsOf, readComposeFile, variablesIn } from './compose-file.js';
import { instancesOf } from './composed-topology.js';
import { assignmentsOf, parseDockerfile } from './dockerfile.js';
import { WrittenSecrets } from './written-secrets.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const compose = readComposeFile(join(root, 'docker-compose.yml'));
const services = Object.entries(compose.services);
const dockerfile = parseDockerfile(join(root, 'Dockerfile'));
const images = dockerfile.stages.filter(({ name }) => name === 'services' || name === 'worker');
const image = images.at(-1)?.instructions ?? [];
const valueOf = (name: string): string => image.findLast((one) => one.name === name)?.text ?? '';
const imageEnvironment = Object.fromEntries(image.filter(({ name }) => name === 'ENV').flatMap(({ text }) => assignmentsOf(text)));

/** Services that run one of our apps permanently. */
const ours = services.filter(([, { build, restart }]) => build !== undefined && restart !== 'no');
const appOf = ({ command }: ComposeService): string => /apps\/([a-z-]+)\/dist\/main\.js$/.exec(command?.at(-1) ?? '')?.[1] ?? '';
/** Certificates that all may read. */
const AUTHORITIES = './deploy/secrets/ca';
/** The folder of secrets that a service sees. */
const secretsOf = (service: ComposeService): string | undefined =>
  mountsOf(service).find(({ target }) => target === '/run/slipway')?.source;

const secrets = new WrittenSecrets();
beforeAll(() => secrets.write());
afterAll(() => secrets.remove());

async function schemaOf(app: string): Promise<z.ZodObject> {
  const exported = Object.values((await import(`${root}/apps/${app}/src/config.ts`)) as Record<string, unknown>);
  return exported.find((value) => typeof value === 'object' && value !== null && 'shape' in value) as z.ZodObject;
}

/** Settings fixed by the file: addresses, folders, users and shutdown times. */
const MADE_HERE = new Set([
  ...['NATS_URL', 'NATS_CREDENTIALS_DIR', 'NATS_CA', 'NATS_CERT', 'NATS_KEY', 'OPS_HOST', 'OPS_PORT', 'HOST', 'PORT', 'CONSOLE_HOST'],
  ...['CONSOLE_PORT', 'GATEWAY_URL', 'DATABASE_URL', 'MIGRATE', 'MODEL_DIRS', 'MODEL_CACHE_DIR', 'DASHBOARD_DIR', 'RUNNER_UID'],
  ...['ZONE', 'GPU', 'DRAIN_MS', 'SHUTDOWN_GRACE_MS', 'BLOB_DIR', 'BLOB_HOST', 'BLOB_PORT', 'BLOB_DOOR_URL', 'TRAINING_DIR'],
  ...['TRAINERS_DIR', 'BLOB_CA', 'BLOB_CERT', 'BLOB_KEY'],
]);

/** The environment of a service's process. */
function environmentOf(service: ComposeService): Record<string, string | undefined> {
  return { ...imageEnvironment, ...secretEnvironmentOf(service), ...service.environment };
}

/** The same with the paths of certificates on this machine. */
function hereOf(service: ComposeService, environment: Record<string, string | undefined>): Record<string, string | undefined> {
  const own = (secretsOf(service) ?? '').replace('./deploy/secrets', secrets.folder);
  const here = (value: string): string => value.replace('/etc/slipway', join(secrets.folder, 'ca')).replace('/run/slipway', own);
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, value === undefined ? value : here(value)]));
}

/** Variables in a service's file of secrets. */
function secretEnvironmentOf(service: ComposeService): Record<string, string | undefined> {
  const file = service.command?.find((word) => word.startsWith('--env-file='))?.slice('--env-file='.length);
  const path = file?.replace('/run/slipway', (secretsOf(service) ?? '').replace('./deploy/secrets/', ''));
  return path === undefined ? {} : parseEnv(secrets.read(path));
}

function imageCheck(): NonNullable<ComposeService['healthcheck']> {
  const check = image.find(({ name }) => name === 'HEALTHCHECK');
  const command = check?.text.slice(check.text.indexOf('[')) ?? '[]';
  return { ...check?.flags, test: JSON.parse(command) as string[] };
}

describe('docker-compose.yml', () => {
  it('is a Compose file', () => {
    const ajv = new Ajv({ strict: false, validateFormats: false, validateSchema: false });
    const isValid = ajv.compile(JSON.parse(read('test/topology/compose-spec.json')) as object);
    expect([isValid(compose), isValid.errors]).toEqual([true, null]);
    expect(isValid({ ...compose, services: { broken: { imagee: 'x' } } })).toBe(false);
  });

  it('starts exactly the documented services', () => {
    const started = instancesOf(compose).filter(({ service }) => !service.profiles);
    const wanted =
      'init nats-1 nats-2 nats-3 streams postgres databases keys-service deployments-service gateway-1 gateway-2 console worker-1 worker-2 worker-3';
    expect(started.map(({ name }) => name).join(' ')).toBe(wanted);
  });

  it('builds two images from one Dockerfile', () => {
    for (const [name, { build, image: tag }] of services.filter(([, service]) => service.build)) {
      const accelerator = build?.args?.['ACCELERATOR'];
      expect([name, build?.context]).toEqual([name, '.']);
      expect(['cuda', undefined], name).toContain(accelerator);
      const wanted = build?.target === 'services' ? 'slipway' : ['slipway-worker', accelerator].filter(Boolean).join('-');
      expect([name, tag]).toEqual([name, wanted]);
    }
  });

  it.each(services.filter(([, { build }]) => build))('runs a program that the image of %s holds', (_, service) => {
    const words = [...(service.entrypoint ?? []), ...(service.command ?? [])];
    const [program = '?'] = words.filter((word) => /^(\/app\/deploy|apps)\//.test(word)).map((word) => word.replace('/app/', ''));
    const [folder = '?', app = '?'] = program.split('/');
    const copied = images.find(({ name }) => name === service.build?.target)?.instructions.filter(({ name }) => name === 'COPY') ?? [];
    expect(copied.map(({ text }) => text.split(' ').at(-1))).toContain(folder === 'apps' ? `./apps/${app}` : './deploy');
    expect(existsSync(join(root, program.replace('/dist/', '/src/').replace('main.js', 'main.ts')))).toBe(true);
  });

  it('gives each image one name', () => {
    const builds = new Map<string, string>();
    for (const [, { image: tag, build }] of services) {
      const args = JSON.stringify([build?.target, build?.args]);
      expect(builds.get(tag) ?? args).toBe(args);
      builds.set(tag, args);
    }
  });

  it.each(ours)('gives %s exactly the variables that it reads', async (_, service) => {
    const schema = await schemaOf(appOf(service));
    const environment = environmentOf(service);
    expect(() => loadConfig(schema, hereOf(service, environment))).not.toThrow();
    expect(Object.keys(environment).filter((name) => !(name in schema.shape))).toEqual(['NODE_ENV']);
  });

  it.each(ours)('passes every external setting to %s', async (name, service) => {
    const schema = await schemaOf(appOf(service));
    const settings = Object.keys(schema.shape).filter((one) => !MADE_HERE.has(one) && !(one in secretEnvironmentOf(service)));
    const given = Object.fromEntries(settings.map((one) => [one, `given ${one}`]));
    const read = readComposeFile(join(root, 'docker-compose.yml'), given).services[name]?.environment ?? {};
    expect(settings.filter((one) => read[one] !== given[one])).toEqual([]);
  });

  it.each(ours)('lets %s drain before it is killed', (_, service) => {
    const patienceMs = Number.parseInt(service.stop_grace_period ?? '10s', 10) * 1_000;
    expect(patienceMs).toBeGreaterThan(Number(environmentOf(service)['DRAIN_MS']) + 2_000);
  });

  it.each(services)('runs %s unprivileged on a read-only file system', (name, service) => {
    expect(service.read_only).toBe(true);
    expect(service.init).toBe(true);
    expect(service.cap_drop).toEqual(['ALL']);
    expect(service.security_opt).toContain('no-new-privileges:true');
    const user = service.user ?? (service.build ? valueOf('USER') : '0:0');
    const agents = ['worker', 'gpu-worker', 'training-worker'];
    expect(user === '0:0' && !agents.includes(name) ? name : user).toMatch(agents.includes(name) ? /^0:0$/ : /^(init|1000:1000|999:999)$/);
    const becomes = ['DAC_OVERRIDE', 'KILL', 'SETGID', 'SETUID'];
    const own = { init: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER'], 'training-worker': ['CHOWN', ...becomes] };
    const given = Object.hasOwn(own, name) ? own[name as keyof typeof own] : becomes;
    expect(service.cap_add ?? []).toEqual(user === '0:0' ? given : []);
  });

  it('runs runners as users without files', () => {
    for (const name of ['worker', 'gpu-worker']) {
      expect([name, environmentOf(compose.services[name]!)['RUNNER_UID']]).toEqual([name, '65533']);
    }
    if (process.getuid?.() !== 0) return;
    for (const uid of [65_533, 61_750]) {
      expect(spawnSync('cat', [join(secrets.folder, 'trainer/trainer.creds')], { uid, gid: uid }).status).toBe(1);
    }
    for (const uid of [65_533, 1_000]) {
      const read = spawnSync('cat', [join(secrets.folder, 'join/join.creds')], { uid, gid: uid, encoding: 'utf8' });
      expect([read.status, read.stdout, read.stderr]).toEqual([1, '', expect.stringContaining('Permission denied')]);
    }
  });

  it('shows each role its own secrets only', () => {
    const roles: Record<string, string> = {
      'gateway-1': 'gateway',
      'gateway-2': 'gateway',
      'keys-service': 'keys',
      'deployments-service': 'deployments',
      'tuning-service': 'tuning',
      'training-worker': 'trainer',
      worker: 'join',
      'gpu-worker': 'join',
      cli: 'ops',
      streams: 'boot',
    };
    for (const [name, service] of services.filter(([one]) => one !== 'init')) {
      const own = `./deploy/secrets/${roles[name] ?? name}`;
      const mounted = mountsOf(service).filter(({ source }) => source.startsWith('./deploy') && source !== AUTHORITIES);
      expect(secretsOf(service), name).toBe(own);
      expect(
        mounted.filter(({ source, readOnly }) => !readOnly || !`${source}/`.startsWith(`${own}/`)),
        name,
      ).toEqual([]);
    }
  });

  it('mounts existing files and declared volumes', () => {
    for (const [name, service] of services) {
      for (const { source, isVolume } of mountsOf(service)) {
        const path = source.replace('./deploy/secrets', secrets.folder);
        expect(
          isVolume ? source in compose.volumes : existsSync(path.startsWith('/') ? path : join(root, path)),
          `${name}: ${source}`,
        ).toBe(true);
      }
      for (const network of service.networks ?? []) expect(compose.networks, name).toHaveProperty(network);
      for (const other of Object.keys(service.depends_on ?? {})) expect(compose.services, name).toHaveProperty(other);
    }
    const used = services.flatMap(([, service]) => mountsOf(service).map(({ source }) => source));
    expect(Object.keys(compose.volumes).filter((volume) => !used.includes(volume))).toEqual([]);
  });

  it('gives every volume to its writer', () => {
    const init = compose.services['init'];
    const given = mountsOf(init ?? { image: '' }).filter(({ target }) => init?.command?.includes(target));
    const written = services.filter(([name]) => !['init', 'postgres'].includes(name)).flatMap(([, service]) => mountsOf(service));
    const writable = written.filter(({ isVolume, readOnly }) => isVolume && !readOnly).map(({ source }) => source);
    expect(new Set(given.map(({ source }) => source).filter((source) => source !== './deploy/secrets'))).toEqual(new Set(writable));
  });

  it('connects services that name each other', () => {
    const addresses = (text: string): string[] =>
      [...text.matchAll(/(?<=[/@])([a-z][a-z0-9-]*):\d+(?=$|[/",\s])/g)].map(([, host = '']) => host);
    for (const [name, service] of services.filter(([, { networks }]) => networks)) {
      const configuration = (secretsOf(service) ?? '').endsWith(name) && name.startsWith('nats') ? secrets.read(`${name}/nats.conf`) : '';
      const text = [...Object.values(service.build ? environmentOf(service) : {}), configuration].join(' ');
      for (const host of addresses(text)) {
        const shared = compose.services[host]?.networks?.filter((network) => service.networks?.includes(network));
        expect(shared, `${name} to ${host}`).not.toEqual([]);
        expect(shared, `${name} to ${host}`).toBeDefined();
      }
    }
    expect(addresses(String(compose.services['worker']?.environment?.['NATS_URL']))).toEqual(['nats-1', 'nats-2', 'nats-3']);
  });

  it('starts NATS once all names resolve', () => {
    for (const node of ['nats-1', 'nats-2', 'nats-3']) {
      const [shell = '', option = '', script = '', ...rest] = compose.services[node]?.entrypoint ?? [];
      const folder = mkdtempSync(join(tmpdir(), 'slipway-names-'));
      const tool = (name: string, text: string): void => writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
      // A name exists from the second lookup on.
      tool('getent', `echo "$2" >> ${folder}/asked; [ "$(grep -c "^$2$" ${folder}/asked)" -ge 2 ]`);
      // The wait between two looks at the certificate ends the watch.
      tool('sleep', '[ "$1" != 10 ]');
      writeFileSync(join(folder, 'nats.conf'), secrets.read(`${node}/nats.conf`));
      const here = script.replaceAll('/run/slipway', folder).replaceAll('/data', folder);
      const start = (): string =>
        spawnSync(shell, [option, here, ...rest, 'echo', 'started'], {
          env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
        }).stdout.toString();
      expect(start()).toBe('started\n');
      const asked = ['nats-1', 'nats-1', 'nats-2', 'nats-2', 'nats-3', 'nats-3'];
      expect(readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')).toEqual(asked);
      // Later starts do not wait, because the cluster exists.
      mkdirSync(join(folder, 'jetstream'));
      expect(start()).toBe('started\n');
      expect(readFileSync(join(folder, 'asked'), 'utf8').trim().split('\n')).toEqual(asked);
      rmSync(folder, { recursive: true });
    }
  });

  it('publishes gateways and console on their ports', () => {
    const published = services.filter(([, { ports }]) => ports);
    expect(published.map(([name]) => name)).toEqual(['gateway-1', 'gateway-2', 'console']);
    const ports = published.flatMap(([, service]) => service.ports ?? []);
    expect(ports).toEqual(['127.0.0.1:8080:8080', '127.0.0.1:8082:8080', '127.0.0.1:8081:8081']);
    for (const [name, service] of published) {
      const { PORT, CONSOLE_PORT } = environmentOf(service);
      for (const port of service.ports ?? []) expect(port.endsWith(`:${PORT ?? CONSOLE_PORT ?? ''}`), name).toBe(true);
    }
    expect(compose.networks).toMatchObject({ bus: { internal: true }, data: { internal: true } });
  });

  it('gives streams the services’ default drain time', async () => {
    for (const [name, service] of ours.filter(([, one]) => ['gateway', 'inference-worker'].includes(appOf(one)))) {
      const environment = hereOf(service, { ...environmentOf(service), DRAIN_MS: undefined });
      const standard = loadConfig(await schemaOf(appOf(service)), environment);
      expect(Number(environmentOf(service)['DRAIN_MS']), name).toBe(standard['DRAIN_MS']);
    }
  });

  it('stops NATS nodes by lame duck, in their time', () => {
    const nodes = Object.entries(compose.services).filter(([name]) => name.startsWith('nats-'));
    const [, seconds] = /lame_duck_duration: "(\d+)s"/.exec(read('libs/platform/src/nats/nats-conf.ts')) ?? [];
    expect(nodes).toHaveLength(3);
    for (const [, { stop_signal: signal, stop_grace_period: grace = '' }] of nodes) {
      expect(signal).toBe('SIGUSR2');
      expect(Number.parseInt(grace, 10)).toBeGreaterThan(Number(seconds) + 10);
    }
  });

  it('keeps stopping gateways serving for a balancer', () => {
    for (const [name, service] of ours.filter(([, one]) => appOf(one) === 'gateway')) {
      const { SHUTDOWN_GRACE_MS, DRAIN_MS } = environmentOf(service);
      expect(Number(SHUTDOWN_GRACE_MS), name).toBeGreaterThanOrEqual(5_000);
      const patienceMs = Number.parseInt(service.stop_grace_period ?? '10s', 10) * 1_000;
      expect(patienceMs, name).toBeGreaterThan(Number(SHUTDOWN_GRACE_MS) + Number(DRAIN_MS) + 2_000);
    }
  });

  it('runs commands without starting services', () => {
    const { cli } = compose.services;
    expect(Object.keys(cli?.depends_on ?? {})).toEqual([]);
    expect(mountsOf(cli ?? { image: '' }).filter(({ readOnly }) => !readOnly)).toEqual([]);
  });

  it('creates databases before their services start', () => {
    for (const name of ['keys-service', 'deployments-service', 'tuning-service'])
      expect(compose.services[name]?.depends_on, name).toMatchObject({ databases: { condition: 'service_completed_successfully' } });
    expect(compose.services['databases']?.depends_on).toHaveProperty('postgres');
  });

  it('moves PostgreSQL’s data once complete', () => {
    const script = compose.services['postgres']?.command?.join('') ?? '';
    const steps = ['rm -rf "$PGDATA.new"', 'initdb --pgdata="$PGDATA.new"', '>> "$PGDATA.new/pg_hba.conf"', 'mv "$PGDATA.new" "$PGDATA"'];
    const places = steps.map((step) => script.indexOf(step));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(spawnSync('bash', ['-n', '-c', script]).status).toBe(0);
  });

  it('checks health without starting Node', () => {
    const checks = services.flatMap(([name, { healthcheck, build, restart }]) =>
      restart === 'no' || (build && !healthcheck) ? [] : [{ name, ...healthcheck }],
    );
    for (const { name, test, interval, timeout } of [...checks, { name: 'image', ...imageCheck() }]) {
      expect(test?.join(' '), name).not.toMatch(/\bnode\b/);
      expect([name, interval, timeout]).toEqual([name, '15s', '10s']);
    }
  });

  it('checks the health of every running service', () => {
    const unchecked = services.filter(
      ([, { build, restart, healthcheck }]) => restart !== 'no' && (healthcheck?.disable || !(healthcheck?.test ?? build)),
    );
    expect(unchecked.map(([name]) => name)).toEqual([]);
  });

  it('takes only documented variables', () => {
    const known = [...`${read('.env.example')}\n${read('deploy/README.md')}`.matchAll(/(?:^(?:# )?|`)([A-Z][A-Z0-9_]+)(?:=|`)/gm)].map(
      ([, name]) => name,
    );
    expect([...variablesIn(read('docker-compose.yml'))].filter((name) => !known.includes(name))).toEqual([]);
  });
});
