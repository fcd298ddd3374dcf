import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { loadConfig } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { ALERTS, type Rules } from '../../monitoring/alert-rules.js';
import { CHART, configOf, readValues, VALUE_FILES, WRONG_VALUES } from '../chart.js';
import { makeAuthority, makeCertificate, validFor } from '../../../apps/cli/src/certs/make-certificates.js';
import { goTool, HELM, schemaValidator } from '../cluster-tools.js';
import { type Container, helm as runHelm, type KubernetesObject, lintChart, objectsOf, podOf, renderChart } from '../rendered-chart.js';

const run = promisify(execFile);
const VERSIONS = ['1.34', '1.35', '1.36', '1.37'];
/** Kinds of operators, whose schemas the validator does not have. */
const FOREIGN = /^WARN .* kind (Certificate|Cluster|ExternalSecret|HTTPRoute|PodMonitor|PrometheusRule|ScaledObject) /;
const fileOf = (name: string): string => join(CHART, 'ci', `${name}.yaml`);

let helm: string;
let validator: string;
let folder: string;
const rendered = new Map<string, string>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-chart-'));
  await writeCertificates();
  helm = await goTool(HELM);
  validator = await schemaValidator();
  if (helm.startsWith('skip:')) return;
  for (const name of VALUE_FILES) {
    rendered.set(name, await renderChart(helm, fileOf(name)));
    rendered.set(`${name} at an upgrade`, await renderChart(helm, fileOf(name), { flags: ['--is-upgrade'] }));
  }
}, 3_600_000);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ALL = [...VALUE_FILES, ...VALUE_FILES.map((name) => `${name} at an upgrade`)];
const objects = (name: string): KubernetesObject[] => objectsOf(rendered.get(name) ?? '');
const pods = (name: string) => objects(name).flatMap((object) => [podOf(object)].flatMap((pod) => (pod ? [{ object, pod }] : [])));

const APP = /apps\/([a-z-]+)\/dist\/main\.js$/;
const SAMPLES: Readonly<Record<string, string>> = {
  KEY_PEPPERS: `p1:${'0'.repeat(64)}`,
  SLIPWAY_SECRET_KEY: '0'.repeat(64),
  DATABASE_PASSWORD: 'password',
};

/** Files that stand for those of pods, which a configuration is checked with. */
async function writeCertificates(): Promise<void> {
  const authority = await makeAuthority('chart', validFor(1));
  const { cert, key } = await makeCertificate(authority, { name: 'tuning', hosts: ['tuning'], ...validFor(1) });
  for (const [name, text] of Object.entries({ 'ca.pem': authority.cert, 'tls.crt': cert, 'tls.key': key }))
    writeFileSync(join(folder, name), text);
}

/** The environment of a container, with samples in place of what comes from Secrets, nodes and limits. */
function environmentOf({ env = [] }: Container): Record<string, string> {
  const sampleOf = (name: string): string => SAMPLES[name] ?? (name.endsWith('_URL') ? 'postgres://a:b@c:5432/d' : '1');
  const given = Object.fromEntries(env.map(({ name, value }) => [name, value ?? sampleOf(name)]));
  const filled = Object.entries(given).map(([name, value]) => [
    name,
    value.replace(/\$\((\w+)\)/g, (_, other: string) => given[other] ?? '').replace(/^\/etc\/slipway(-blobs)?/, folder),
  ]);
  return Object.fromEntries(filled) as Record<string, string>;
}

/** May be root: an agent that makes its children other users, where its pool asks for it. */
const ROOT_CAPABILITIES: Readonly<Record<string, readonly string[]>> = {
  worker: ['DAC_OVERRIDE', 'KILL', 'SETGID', 'SETUID'],
  training: ['CHOWN', 'DAC_OVERRIDE', 'KILL', 'SETGID', 'SETUID'],
};

describe('the Helm chart, rendered', () => {
  it.for(VALUE_FILES)('passes helm’s own checks with %s', async (name, context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    expect(await lintChart(helm, fileOf(name))).toContain('0 chart(s) failed');
  });

  it.for(VERSIONS)('fits the schemas of Kubernetes %s', async (version, context) => {
    for (const tool of [helm, validator]) if (tool.startsWith('skip:')) return context.skip(tool.slice(5));
    for (const [name, text] of rendered) writeFileSync(join(folder, `${name}.yaml`), text);
    const files = [...rendered.keys()].map((name) => join(folder, `${name}.yaml`));
    const { stdout, stderr } = await run(validator, ['--strict', '--quiet', '-k', version, ...files], { maxBuffer: 2 ** 24 });
    expect(`${stdout}${stderr}`.split('\n').filter((line) => line !== '' && !FOREIGN.test(line))).toEqual([]);
  });

  it.for(WRONG_VALUES)('is refused with %s', async ([, values, named], context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    const file = join(folder, 'wrong.yaml');
    writeFileSync(file, stringify(values));
    await expect(renderChart(helm, file)).rejects.toThrow(named);
  });

  it('hands on alerts and board from its package', async (context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    await runHelm(helm, 'package', CHART, '--destination', folder);
    const [packaged = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
    const text = await renderChart(helm, fileOf('gpu-pools'), { chart: join(folder, packaged) });
    expect(text).toBe(rendered.get('gpu-pools'));
    const made = new Map(objectsOf(text).map((object) => [`${object.kind} ${object.metadata.name}`, object]));
    const rule = made.get('PrometheusRule slipway') as unknown as { spec: Rules };
    const { runbookBase, without } = readValues('ci/gpu-pools.yaml')['alerts'] as { runbookBase: string; without: string[] };
    const wanted = ALERTS.filter(({ alert }) => !without.includes(alert));
    expect(rule.spec.groups[0]?.rules.map(({ alert, annotations }) => [alert, annotations.runbook_url])).toEqual(
      wanted.map(({ alert }) => [alert, `${runbookBase}#${alert.toLowerCase()}`]),
    );
    const board = made.get('ConfigMap slipway-board') as unknown as { data: Record<string, string>; metadata: { labels: object } };
    expect(JSON.parse(board.data['slipway.json'] ?? '')).toEqual(JSON.parse(readFileSync(join(CHART, 'files/board.json'), 'utf8')));
    expect(board.metadata.labels).toMatchObject({ grafana_dashboard: '1' });
  });

  it('makes streams that are missing by a schedule', (context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    const cron = objects('minimal').find(({ kind }) => kind === 'CronJob')!;
    expect([cron.metadata.name, cron.spec?.['schedule']]).toEqual(['slipway-streams', '*/5 * * * *']);
    const job = objects('minimal').find(({ kind, metadata }) => kind === 'Job' && metadata.name.startsWith('slipway-streams'))!;
    const [own, made] = [podOf(cron), podOf(job)].map((pod) => pod!.containers[0]!);
    expect(own!.command).toEqual([...made!.command!, '--missing']);
    expect(own!.env).toEqual(made!.env);
  });

  it('rolls GPU workers where no GPU is spare', (context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    const found = (kind: string, name: string): Readonly<Record<string, unknown>> | undefined =>
      objects('gpu-pools').find((one) => one.kind === kind && one.metadata.name === `slipway-worker-${name}`)?.spec;
    for (const [name, rollingUpdate] of [
      ['h100', { maxUnavailable: 1, maxSurge: 0 }],
      ['cpu', { maxUnavailable: 0, maxSurge: 1 }],
    ] as const) {
      const spec = found('Deployment', name);
      const drainSeconds = podOf({ kind: 'Deployment', metadata: { name }, spec: spec! })!.terminationGracePeriodSeconds!;
      // Longer than the drain of the pod before, and ten minutes of loading models.
      expect(spec).toMatchObject({ strategy: { rollingUpdate }, progressDeadlineSeconds: drainSeconds + 600 });
      expect(found('PodDisruptionBudget', name)).toMatchObject({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    }
  });

  it('asks old clusters for nothing that they lack', async (context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    const flags = ['--kube-version', '1.34.0'];
    const old = await renderChart(helm, fileOf('gpu-pools'), { flags });
    const tolerances = (text: string): number => text.match(/tolerance: /g)?.length ?? 0;
    expect([tolerances(old), tolerances(rendered.get('gpu-pools') ?? '')]).toEqual([0, 2]);
  });

  it('stops NATS nodes by lame duck, in their time', (context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    const pod = podOf(objects('minimal').find(({ kind }) => kind === 'StatefulSet')!)!;
    expect(pod.containers[0]!.lifecycle?.preStop?.exec.command).toEqual(['sh', '-c', 'kill -USR2 1']);
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(40);
  });

  it('opens the way to a collector where there is one', (context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    const collectors = (name: string, port: number): [string, boolean][] =>
      objects(name)
        .filter(({ kind }) => kind === 'NetworkPolicy')
        .map(({ metadata, spec }) => [
          metadata.name.replace('slipway-', ''),
          JSON.stringify(spec?.['egress']).includes(`{"port":${port}}`),
        ]);
    const open = (name: string, port: number): string[] => collectors(name, port).flatMap(([one, isOpen]) => (isOpen ? [one] : []));
    expect(open('gpu-pools', 4318).toSorted()).toEqual(['gateway', 'worker-cpu', 'worker-h100', 'worker-l4']);
    expect(open('foreign-servers', 443)).toEqual(expect.arrayContaining(['gateway', 'worker-cpu']));
    expect(open('minimal', 4318)).toEqual([]);
  });

  it.for(ALL)('gives pods no rights with %s', (name, context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    expect(pods(name).length).toBeGreaterThan(5);
    for (const { object, pod } of pods(name)) {
      const [container] = pod.containers;
      const label = object.metadata.name;
      const added = name.startsWith('gpu-pools') ? ROOT_CAPABILITIES[container!.name] : undefined;
      const capabilities = { drop: ['ALL'], ...(added && { add: added }) };
      const user = added ? { runAsUser: 0 } : { runAsNonRoot: true, runAsUser: 1000 };
      expect([label, pod.automountServiceAccountToken, pod.containers.length]).toEqual([label, false, 1]);
      expect(pod.securityContext, label).toMatchObject({ ...user, seccompProfile: { type: 'RuntimeDefault' } });
      expect(container!.securityContext).toEqual({ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities });
      expect(container!.resources?.limits ?? {}).not.toHaveProperty('cpu');
      // The Job that makes the Secrets is the only one with a token of the API server.
      const tokens = pod.volumes.filter((volume) => JSON.stringify(volume).includes('serviceAccountToken'));
      expect([label, tokens.length]).toEqual([label, label === 'slipway-secrets' ? 1 : 0]);
    }
  });

  it.for(ALL)('configures every process with %s', async (name, context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    const ours = pods(name).filter(({ pod }) => APP.test(pod.containers[0]?.command?.at(-1) ?? ''));
    expect(ours.length).toBeGreaterThan(4);
    for (const { object, pod } of ours) {
      const [container] = pod.containers;
      const schema = await configOf(APP.exec(container?.command?.at(-1) ?? '')?.[1] ?? '');
      const environment = environmentOf(container!);
      expect(() => loadConfig(schema, environment), object.metadata.name).not.toThrow();
      expect(Object.keys(environment).filter((one) => !(one in schema.shape) && one !== 'DATABASE_PASSWORD')).toEqual([]);
      const grace = Number(environment['SHUTDOWN_GRACE_MS'] ?? 0);
      expect((pod.terminationGracePeriodSeconds ?? 0) * 1_000).toBeGreaterThanOrEqual(Number(environment['DRAIN_MS']) + grace + 10_000);
    }
  });

  it.for(ALL)('names accounts, volumes and Secrets that exist with %s', (name, context) => {
    if (helm.startsWith('skip:')) return context.skip(helm.slice(5));
    const named = (kind: string): string[] => objects(name).flatMap((one) => (one.kind === kind ? [one.metadata.name] : []));
    for (const { object, pod } of pods(name)) {
      expect(named('ServiceAccount'), object.metadata.name).toContain(pod.serviceAccountName);
      for (const { volumeMounts = [] } of pod.containers) {
        const known = [...pod.volumes.map((volume) => volume.name), ...(object.kind === 'StatefulSet' ? ['data'] : [])];
        expect(volumeMounts.filter((mount) => !known.includes(mount.name))).toEqual([]);
      }
    }
    const made = new Set(
      (rendered.get(name) ?? '')
        .match(/secretName: slipway-\w+|secretKeyRef: \{ name: slipway-\w+/g)
        ?.map((one) => one.replace(/.* slipway-/, '')),
    );
    const roles = ['gateway', 'keys', 'deployments', 'tuning', 'trainer', 'console', 'ops', 'boot', 'join', 'nats', 'databases'];
    const external = named('ExternalSecret').map((one) => one.replace('slipway-', ''));
    // Of a cert-manager, of the operator and of theirs.
    const others = ['oidc', 'postgres', 'blobs', 'tls'];
    expect([...made].filter((one) => ![...roles, ...others].includes(one))).toEqual([]);
    if (external.length > 0) expect([...made].filter((one) => ![...external, 'databases', ...others].includes(one))).toEqual([]);
  });
});
