import { createServer, type Server } from 'node:https';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { until } from '../testing/until.js';
import type { ApiServer } from './api-server.js';

/** Programs beside the API server. */
export interface ControlPlaneTools {
  readonly manager: string;
  readonly scheduler: string;
  readonly kwok: string;
  /** Folder of kwok's module, which says what happens to nodes and pods. */
  readonly kwokModule: string;
}

/** Nodes and pods are ready at once, Jobs complete, and what is deleted leaves. */
const STAGES = [
  'node/fast/node-initialize',
  'node/heartbeat-with-lease/node-heartbeat-with-lease',
  'pod/fast/pod-ready',
  'pod/fast/pod-complete',
  'pod/fast/pod-delete',
].map((name) => `${name}.yaml`);

/** Nodes that exist by name only, one in each zone, with one GPU each. */
const ZONES = ['a', 'b', 'c'];
const node = (zone: string): object => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: `node-${zone}`,
    labels: { 'kubernetes.io/hostname': `node-${zone}`, 'topology.kubernetes.io/zone': zone },
    annotations: { 'kwok.x-k8s.io/node': 'fake' },
  },
  status: Object.fromEntries(
    ['capacity', 'allocatable'].map((name) => [name, { cpu: '64', memory: '512Gi', pods: '110', 'nvidia.com/gpu': '1' }]),
  ),
});

/** Runs controllers and scheduler of Kubernetes, and three nodes whose pods become ready and leave without containers. */
export async function startControlPlane(cluster: ApiServer, { manager, scheduler, kwok, kwokModule }: ControlPlaneTools): Promise<void> {
  const config = ['--kubeconfig', cluster.kubeconfig];
  const autoscaler = ['sync-period=1s', 'cpu-initialization-period=1s', 'initial-readiness-delay=1s'];
  cluster.run(manager, [
    ...[...config, '--leader-elect=false', '--secure-port=0', '--service-account-private-key-file', cluster.accountsKey],
    ...['--root-ca-file', cluster.certificate, ...autoscaler.map((one) => `--horizontal-pod-autoscaler-${one}`)],
  ]);
  cluster.run(scheduler, [...config, '--leader-elect=false', '--secure-port=0']);
  cluster.run(kwok, [
    ...config,
    '--manage-all-nodes',
    // Without leases nodes count as lost after 50 s.
    '--node-lease-duration-seconds=40',
    ...STAGES.flatMap((stage) => ['--config', join(kwokModule, 'kustomize/stage', stage)]),
  ]);
  const nodes = { apiVersion: 'v1', kind: 'List', items: ZONES.map(node) };
  await cluster.kubectl(['apply', '--filename', '-'], JSON.stringify(nodes));
  const ready = async (): Promise<boolean> =>
    (await cluster.kubectl(['get', 'nodes', '--no-headers'])).split(' Ready ').length === ZONES.length + 1;
  await until('the nodes are ready', ready, 60_000, 500);
}

interface Pods {
  readonly items: readonly { readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: object } }[];
}

/** Stands in for the metrics server: every pod of a component uses the same CPU time. */
export class MetricsStub {
  /** Thousandths of a core that each pod uses, by component. */
  readonly use = new Map<string, number>();
  readonly #server: Server;

  constructor(private readonly cluster: ApiServer) {
    this.#server = createServer(
      { cert: readFileSync(cluster.certificate), key: readFileSync(cluster.certificate.replace('.crt', '.key')) },
      (request, response) => {
        void this.#answer(new URL(request.url ?? '', 'https://stub')).then((body) => {
          response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
        });
      },
    );
  }

  /** Registers the API `metrics.k8s.io`, and waits until it is available. */
  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    await this.cluster.register('v1beta1.metrics.k8s.io', (this.#server.address() as AddressInfo).port);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  async #answer({ pathname, searchParams }: URL): Promise<object> {
    const version = { apiVersion: 'metrics.k8s.io/v1beta1' };
    if (!pathname.endsWith('/pods')) {
      const pods = { name: 'pods', singularName: 'pod', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] };
      return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: 'metrics.k8s.io/v1beta1', resources: [pods] };
    }
    const selector = searchParams.get('labelSelector') ?? '';
    const found = await this.cluster.kubectl(['get', 'pods', '--namespace', 'serving', '--selector', selector, '--output', 'json']);
    const component = /component=([\w-]+)/.exec(selector)?.[1] ?? '';
    const usage = { cpu: `${this.use.get(component) ?? 0}m`, memory: '100Mi' };
    const items = (JSON.parse(found) as Pods).items.map(({ metadata: { name, namespace, labels } }) => ({
      ...{ metadata: { name, namespace, labels }, timestamp: new Date().toISOString(), window: '10s' },
      containers: [{ name: component, usage }],
    }));
    return { kind: 'PodMetricsList', ...version, metadata: {}, items };
  }
}
