import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SCOPED_ROLES } from '@slipway/contracts';
import { Ajv } from 'ajv';
import { describe, expect, it } from 'vitest';
import { APPS, CHART, configOf, mergeValues, readValues, type Values, VALUE_FILES, WRONG_VALUES } from './chart.js';
import { readComposeFile } from './compose-file.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const compose = readComposeFile(join(root, 'docker-compose.yml'));
const defaults = readValues('values.yaml');
const schema = JSON.parse(readFileSync(join(CHART, 'values.schema.json'), 'utf8')) as { properties: Values };
const isValid = new Ajv({ strict: false, allErrors: true }).compile(schema);
const templates = new Map(
  readdirSync(join(CHART, 'templates')).map((name) => [name, readFileSync(join(CHART, 'templates', name), 'utf8')]),
);
const text = [...templates.values()].join('\n');
const all = (pattern: RegExp, within = text): string[] =>
  [...new Set([...within.matchAll(pattern)].map(([, found = '']) => found))].toSorted();

/** Settings that the chart fixes, derives from other values, or takes from Secrets. */
const MADE_HERE = new Set([
  ...[
    'SLIPWAY_ENV',
    'LOG_LEVEL',
    'OPS_HOST',
    'OPS_PORT',
    'DRAIN_MS',
    'NATS_URL',
    'NATS_CREDENTIALS_DIR',
    'NATS_CA',
    'NATS_CERT',
    'NATS_KEY',
    'HOST',
    'PORT',
    'SHUTDOWN_GRACE_MS',
  ],
  ...[
    'DATABASE_URL',
    'MIGRATE',
    'KEYS_DATABASE_URL',
    'DEPLOYMENTS_DATABASE_URL',
    'TUNING_DATABASE_URL',
    'KEY_PEPPERS',
    'SLIPWAY_SECRET_KEY',
  ],
  ...[
    'PUBLIC_BASE_URL',
    'SECURITY_CONTACT',
    'IMAGE_HOSTS',
    'MODEL_DIRS',
    'MODEL_HOSTS',
    'ENGINE_HOSTS',
    'DATASET_HOSTS',
    'ZONE',
    'POOL',
    'GPU',
  ],
  ...[
    'CONSOLE_HOST',
    'CONSOLE_PORT',
    'CONSOLE_BASE_URL',
    'CONSOLE_COOKIES',
    'GATEWAY_URL',
    'DASHBOARD_DIR',
    'MODEL_CACHE_DIR',
    'RUNNER_UID',
  ],
  ...[
    'OIDC_ISSUER',
    'OIDC_CLIENT_ID',
    'OIDC_CLIENT_SECRET',
    'OIDC_SCOPES',
    'OIDC_NAME',
    'WORKER_MEM_BYTES',
    'TRAINING_DIR',
    'TRAINERS_DIR',
  ],
  ...['OTEL_EXPORTER_OTLP_ENDPOINT', 'BLOB_DIR', 'BLOB_HOST', 'BLOB_PORT', 'BLOB_DOOR_URL', 'BLOB_CA', 'BLOB_CERT', 'BLOB_KEY'],
  ...['BLOB_URL', 'ADAPTER_EXPORT_DIR'],
]);

describe('the values of the Helm chart', () => {
  it('satisfy their schema', () => {
    expect([isValid(defaults), isValid.errors]).toEqual([true, null]);
    expect(Object.keys(defaults).filter((name) => !(name in schema.properties))).toEqual([]);
  });

  it.each(VALUE_FILES)('%s satisfy it too', (name) => {
    expect([isValid(mergeValues(defaults, readValues(`ci/${name}.yaml`))), isValid.errors]).toEqual([true, null]);
  });

  it('have an example of each way to run', () => {
    expect(VALUE_FILES).toEqual(['air-gapped', 'cloudnative-pg', 'foreign-servers', 'gpu-pools', 'minimal', 'no-keda']);
  });

  it.each(WRONG_VALUES)('are refused with %s', (_, values, named) => {
    expect(isValid(mergeValues(defaults, values))).toBe(false);
    expect(JSON.stringify(isValid.errors)).toContain(named);
  });

  it.each(Object.entries(APPS))('offer every setting of %s', async (component, app) => {
    const place = schema.properties[component === 'worker' ? 'workerDefaults' : component] as Values;
    const { settings } = place['properties'] as { settings: { propertyNames: { enum: string[] } } };
    const wanted = Object.keys((await configOf(app)).shape).filter((name) => !MADE_HERE.has(name));
    expect(settings.propertyNames.enum).toEqual(wanted.toSorted());
  });

  it('exist where templates name them', () => {
    const paths = all(/\.Values\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g);
    const read = (path: string): unknown => path.split('.').reduce<unknown>((at, name) => (at as Values | undefined)?.[name], defaults);
    expect(paths.length).toBeGreaterThan(40);
    expect(paths.filter((path) => read(path) === undefined)).toEqual([]);
  });

  it('are all used by templates', () => {
    expect(Object.keys(defaults).filter((name) => !new RegExp(`\\.Values\\.${name}\\b`).test(text))).toEqual([]);
  });
});

describe('the templates of the Helm chart', () => {
  it('set only variables that a process reads', async () => {
    const configs = await Promise.all(Object.values(APPS).map(configOf));
    const settings = new Set(configs.flatMap(({ shape }) => Object.keys(shape)));
    const scripts = ['make-databases.mjs', 'kubernetes-secrets.mjs']
      .map((name) => readFileSync(join(root, 'deploy', name), 'utf8'))
      .join('');
    const named = all(/(?:- \{ name: |- name: |variable" \(list "|"variable" "|"name" ")([A-Z][A-Z0-9_]+)\b/g);
    expect(named.length).toBeGreaterThan(40);
    const helpers = ['DATABASE_PASSWORD', 'ADMIN_PASSWORD', 'POD_NAME', 'NODE_EXTRA_CA_CERTS'];
    expect(named.filter((name) => !settings.has(name) && !scripts.includes(name) && !helpers.includes(name))).toEqual([]);
  });

  it('run programs and images that are built', () => {
    const apps = [...all(/"app" "([a-z-]+)"/g), ...all(/apps\/([a-z-]+)\/dist\/main\.js/g)];
    expect(new Set(apps)).toEqual(new Set(Object.values(APPS)));
    for (const script of all(/(deploy\/[a-z-]+\.mjs)/g)) expect(existsSync(join(root, script)), script).toBe(true);
    const { services, worker } = defaults['image'] as Record<string, { repository: string }>;
    expect([services?.repository, worker?.repository]).toEqual([compose.services['console']?.image, compose.services['worker']?.image]);
    expect((defaults['nats'] as Values)['image']).toBe(compose.services['nats-1']?.image);
  });

  it('use the release and ports of the product', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(readValues('Chart.yaml')).toMatchObject({ version, appVersion: version });
    const environment = (name: string): Record<string, string | undefined> => compose.services[name]?.environment ?? {};
    expect(templates.get('gateway.yaml')).toContain(`name: PORT, value: '${environment('gateway-1')['PORT']}'`);
    expect(templates.get('console.yaml')).toContain(`name: CONSOLE_PORT, value: '${environment('console')['CONSOLE_PORT']}'`);
    expect(templates.get('tuning.yaml')).toContain(`name: BLOB_PORT, value: '${environment('tuning-service')['BLOB_PORT']}'`);
    expect(templates.get('nats.yaml')).toContain(compose.services['nats-1']?.healthcheck?.test?.at(-1));
  });

  it('ask processes for paths that they answer', () => {
    const ops = readFileSync(join(root, 'libs/platform/src/service/ops-server.ts'), 'utf8');
    const paths = all(/httpGet: \{ path: (\S+),/g);
    expect(paths).toEqual(['/livez', '/readyz']);
    expect(paths.filter((path) => !ops.includes(`'${path}'`))).toEqual([]);
  });

  it('query metrics that processes have', () => {
    const sources = execFileSync(
      'grep',
      ['-rhoE', 'slipway_[a-z_]+', 'apps', 'libs', '--include=*.ts', '--exclude-dir=dist', '--exclude-dir=node_modules'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    const families = new Set(sources.split('\n'));
    const named = all(/\b(slipway_(?:gateway|worker|tuning|pool)_[a-z_]+)/g);
    expect(named).not.toEqual([]);
    expect(named.filter((name) => !families.has(name))).toEqual([]);
  });

  it.each([
    ['alerts.yaml', 'deploy/alerts/slipway.yaml'],
    ['board.json', 'deploy/grafana/slipway.json'],
  ])('hand on %s as it is outside of the chart', (copy, original) => {
    // A packaged chart holds nothing from outside of its folder.
    expect(readFileSync(join(CHART, 'files', copy), 'utf8'), `cp ${original} deploy/chart/slipway/files/${copy}`).toBe(
      readFileSync(join(root, original), 'utf8'),
    );
  });

  it('know every role that has a Secret', () => {
    const roles = all(/"(\w+)"/g, /range list ("gateway".*) \}\}/.exec(templates.get('secrets.yaml') ?? '')?.[1] ?? '');
    expect(roles).toEqual(SCOPED_ROLES.filter((role) => role !== 'agent' && role !== 'runner').toSorted());
  });
});
