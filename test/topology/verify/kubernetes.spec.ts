import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, type TestContext } from 'vitest';
import { ApiServer } from '../api-server.js';
import { CHART, VALUE_FILES } from '../chart.js';
import { debianPrograms, hasProgram } from '../../testing/debian-programs.js';
import { ETCD, goModule, goTool, HELM, KUBE_APISERVER } from '../cluster-tools.js';
import { helm, renderChart } from '../rendered-chart.js';

const run = promisify(execFile);
const SECRETS_TOOL = fileURLToPath(new URL('../../../deploy/kubernetes-secrets.mjs', import.meta.url));
/** Definitions of the kinds that belong to operators, from the modules of their programs. */
const DEFINITIONS = [
  ['github.com/kedacore/keda/v2@v2.21.0', 'config/crd/bases'],
  ['sigs.k8s.io/gateway-api@v1.4.1', 'config/crd/standard'],
  ['github.com/prometheus-operator/prometheus-operator@v0.85.0', 'example/prometheus-operator-crd'],
  ['github.com/cloudnative-pg/cloudnative-pg@v1.27.1', 'config/crd/bases'],
  ['github.com/cert-manager/cert-manager@v1.19.1', 'deploy/crds'],
  ['github.com/external-secrets/external-secrets@v0.20.4', 'config/crds/bases'],
] as const;

interface Stored {
  readonly metadata: { readonly generation: number; readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly replicas: number;
    readonly template: { readonly metadata: { readonly annotations?: Readonly<Record<string, string>> } };
  };
  readonly status?: { readonly succeeded?: number };
}

interface CronJob {
  readonly spec: { readonly schedule: string };
}

let reason = '';
let binary: string;
let folder: string;
let server: ApiServer | undefined;

const fileOf = (name: string): string => join(CHART, 'ci', `${name}.yaml`);
const api = (context: TestContext): ApiServer => server ?? context.skip(reason);

async function installDefinitions(cluster: ApiServer): Promise<void> {
  for (const [module, path] of DEFINITIONS) {
    await cluster.kubectl(['apply', '--server-side', '--filename', join(await goModule(module), path)]).catch((error: unknown) => {
      // Folders hold files of kustomize besides.
      if (!/no matches for kind "Kustomization"|Kustomization/.test(String(error))) throw error;
    });
  }
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-chart-'));
  binary = await goTool(HELM);
  const etcds = await debianPrograms(ETCD);
  for (const program of ['kubectl', 'go']) if (!hasProgram(program)) reason = `${program} is not here.`;
  for (const found of [binary, etcds]) if (typeof found === 'string' && found.startsWith('skip:')) reason = found.slice(5);
  if (reason !== '') return;
  const [etcd = ''] = etcds;
  const apiserver = await goTool(KUBE_APISERVER);
  server = new ApiServer();
  await server.start({ etcd, apiserver });
  await server.kubectl(['create', 'namespace', 'serving']);
  await installDefinitions(server);
}, 3_600_000);
afterAll(async () => {
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}, 60_000);

/** Runs the program of the Job that makes the Secrets, with the rights of its service account alone. */
async function makeSecrets(cluster: ApiServer): Promise<void> {
  const tokenFile = join(folder, 'token');
  writeFileSync(tokenFile, await cluster.kubectl(['create', 'token', 'slipway-secrets', '--duration', '10m']));
  const job = {
    API_SERVER: cluster.address,
    TOKEN_FILE: tokenFile,
    NODE_EXTRA_CA_CERTS: cluster.certificate,
    NAMESPACE: 'serving',
    SLIPWAY_ENV: 'prod',
  };
  await run(process.execPath, [SECRETS_TOOL, 'apply'], { env: { PATH: process.env['PATH'], ...job } });
}

const now = (): string => new Date().toISOString().replace(/\.\d+/, '');

async function completeJob(cluster: ApiServer, name: string): Promise<void> {
  const conditions = ['SuccessCriteriaMet', 'Complete'].map((type) => ({ type, status: 'True', lastTransitionTime: now() }));
  await cluster.patchStatus('job', name, {
    startTime: now(),
    completionTime: now(),
    succeeded: 1,
    uncountedTerminatedPods: {},
    conditions,
  });
}

/** What controllers of a cluster do for a release: they run its Jobs and restart its NATS nodes. */
async function control(cluster: ApiServer, isOver: () => boolean): Promise<void> {
  let making: Promise<void> | undefined;
  while (!isOver()) {
    const nats = await cluster.get<Stored>('statefulset', 'slipway-nats');
    const { replicas = 0 } = nats?.spec ?? {};
    const counts = { replicas, readyReplicas: replicas, updatedReplicas: replicas, availableReplicas: replicas };
    if (nats) await cluster.patchStatus('statefulset', 'slipway-nats', { observedGeneration: nats.metadata.generation, ...counts });
    const { items } = JSON.parse(await cluster.kubectl(['get', 'jobs', '--output', 'json'])) as { items: Stored[] };
    for (const { metadata, status } of items.filter((job) => !job.status?.succeeded)) {
      if (metadata.name !== 'slipway-secrets') await completeJob(cluster, metadata.name);
      else if (!status?.succeeded) making ??= makeSecrets(cluster).then(() => completeJob(cluster, metadata.name));
    }
  }
  await making;
}

const helmThere = (cluster: ApiServer, ...words: readonly string[]): Promise<string> =>
  helm(binary, ...words, '--kubeconfig', cluster.kubeconfig, '--namespace', 'serving');

/** Runs a command of helm as in a cluster that works. */
async function release(cluster: ApiServer, ...words: readonly string[]): Promise<void> {
  let isOver = false;
  const running = helmThere(cluster, ...words).finally(() => (isOver = true));
  await Promise.all([running, control(cluster, () => isOver)]);
}

async function secretValues(cluster: ApiServer): Promise<Record<string, unknown>> {
  const { items } = JSON.parse(
    await cluster.kubectl(['get', 'secrets', '--selector', 'app.kubernetes.io/part-of=slipway', '--output', 'json']),
  ) as {
    items: Stored[];
  };
  return Object.fromEntries(items.map(({ metadata, data }) => [metadata.name, data]));
}

const DIGEST = 'slipway.dev/nats-config';
const digestOf = async (cluster: ApiServer): Promise<string | undefined> =>
  (await cluster.get<Stored>('statefulset', 'slipway-nats'))?.spec.template.metadata.annotations?.[DIGEST];

describe('the Helm chart in a real API server', () => {
  it.for(VALUE_FILES)('is admitted by strict validation with %s', async (name, context) => {
    const cluster = api(context);
    for (const flags of [[], ['--is-upgrade']]) {
      const text = await renderChart(binary, fileOf(name), { flags });
      const admitted = await cluster.kubectl(['apply', '--server-side', '--dry-run=server', '--validate=strict', '--filename', '-'], text);
      expect(admitted.split('\n').length).toBeGreaterThan(20);
    }
  });

  it('installs, upgrades and rolls back with one set of secrets', async (context) => {
    const cluster = api(context);
    await release(cluster, 'install', 'slipway', CHART, '--values', fileOf('no-keda'));
    const schedule = async (): Promise<unknown> => (await cluster.get<CronJob>('cronjob', 'slipway-streams'))?.spec;
    const made = await secretValues(cluster);
    const scheduled = await schedule();
    expect(scheduled).toMatchObject({ schedule: '*/5 * * * *', concurrencyPolicy: 'Forbid', suspend: false });
    expect(Object.keys(made)).toEqual(expect.arrayContaining(['slipway-secrets', 'slipway-gateway', 'slipway-join', 'slipway-nats']));
    await release(cluster, 'upgrade', 'slipway', CHART, '--values', fileOf('gpu-pools'));
    expect(await secretValues(cluster)).toEqual(made);
    expect(await schedule()).toMatchObject({ schedule: '*/5 * * * *' });
    expect(await cluster.get('scaledobject', 'slipway-worker-h100')).toBeDefined();
    const digest = await digestOf(cluster);
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    await release(cluster, 'rollback', 'slipway', '1');
    expect(await cluster.get('scaledobject', 'slipway-worker-h100')).toBeUndefined();
    expect([await secretValues(cluster), await digestOf(cluster), await schedule()]).toEqual([made, digest, scheduled]);
    await helmThere(cluster, 'uninstall', 'slipway');
    expect(await secretValues(cluster)).toEqual(made);
  });

  it('grants its Job no other Secrets', async (context) => {
    const cluster = api(context);
    await release(cluster, 'install', 'slipway', CHART, '--values', fileOf('minimal'));
    const may = (verb: string, what: string): Promise<string> =>
      cluster
        .kubectl(['auth', 'can-i', verb, what, '--namespace', 'serving', '--as', 'system:serviceaccount:serving:slipway-secrets'])
        .then((text) => text.trim())
        .catch(() => 'no');
    expect(await may('get', 'secrets/slipway-keys')).toBe('yes');
    for (const [verb, what] of [
      ['get', 'secrets/another'],
      ['list', 'secrets'],
      ['delete', 'secrets/slipway-keys'],
      ['get', 'pods'],
      ['patch', 'statefulsets/other'],
    ] as const)
      expect([verb, what, await may(verb, what)]).toEqual([verb, what, 'no']);
  });
});
