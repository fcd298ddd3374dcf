import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePorts } from '@slipway/testing';
import { makeAuthority, makeCertificate, validFor } from '../../apps/cli/src/certs/make-certificates.js';
import type { ApiServer } from './api-server.js';
import { goModule, goTool, KEDA_ADAPTER, KEDA_OPERATOR } from './cluster-tools.js';

const HERE = '127.0.0.1';
/** The API by which autoscalers get metrics that come from outside of the cluster. */
const API = 'v1beta1.external.metrics.k8s.io';

/** KEDA's operator and its adapter for metrics, each as a process beside the API server. */
export class Keda {
  /** Certificates, by which the two know each other. */
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-keda-'));

  private constructor(
    private readonly operator: string,
    private readonly adapter: string,
  ) {}

  /** @returns why there is none, where a program is missing */
  static async find(): Promise<Keda | string> {
    const programs = [await goTool(KEDA_OPERATOR), await goTool(KEDA_ADAPTER)] as const;
    const missing = programs.find((found) => found.startsWith('skip:'));
    return missing?.slice(5) ?? new Keda(...programs);
  }

  /** Brings KEDA's definitions, starts both, and waits until autoscalers are answered. */
  async start(cluster: ApiServer): Promise<void> {
    const module = await goModule(`${KEDA_OPERATOR.module}@${KEDA_OPERATOR.version}`);
    await cluster.kubectl(['apply', '--server-side', '--filename', join(module, 'config/crd/bases')]);
    await cluster.kubectl(['wait', '--for', 'condition=Established', 'crd', '--all', '--timeout', '60s']);
    await this.#writeCertificates();
    const [metrics = 0, secure = 0, health = 0] = await freePorts(3);
    const variables = { WATCH_NAMESPACE: '', POD_NAMESPACE: 'keda', KEDA_CLUSTER_OBJECT_NAMESPACE: 'keda' };
    const config = ['--kubeconfig', cluster.kubeconfig, '--cert-dir', this.#folder];
    cluster.run(
      this.operator,
      [
        ...[...config, '--metrics-service-bind-address', `${HERE}:${metrics}`],
        ...['--enable-prometheus-metrics=false', '--health-probe-bind-address', `${HERE}:${health}`],
      ],
      variables,
    );
    const delegated = ['lister', 'authentication', 'authorization'].flatMap((name) => [`--${name}-kubeconfig`, cluster.kubeconfig]);
    cluster.run(
      this.adapter,
      [
        ...[...config, ...delegated, '--metrics-service-address', `${HERE}:${metrics}`, '--port', '0'],
        ...['--bind-address', HERE, '--secure-port', String(secure)],
        ...['--tls-cert-file', join(this.#folder, 'tls.crt'), '--tls-private-key-file', join(this.#folder, 'tls.key')],
      ],
      variables,
    );
    await cluster.register(API, secure);
  }

  stop(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #writeCertificates(): Promise<void> {
    const authority = await makeAuthority('keda', validFor(1));
    const { cert, key } = await makeCertificate(authority, { name: 'keda', hosts: [HERE, 'localhost'], ...validFor(1) });
    for (const [name, text] of Object.entries({ 'ca.crt': authority.cert, 'tls.crt': cert, 'tls.key': key }))
      writeFileSync(join(this.#folder, name), text, { mode: 0o600 });
  }
}
