import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithProcess, freePorts } from '@slipway/testing';
import { makeAuthority, makeCertificate, validFor } from '../../apps/cli/src/certs/make-certificates.js';
import { until } from '../testing/until.js';

const run = promisify(execFile);
const TOKEN = 'administrator';

export interface ApiServerTools {
  readonly etcd: string;
  readonly apiserver: string;
}

/** A real API server of Kubernetes on this machine, with an etcd and nothing else: it admits objects and runs none of them. */
export class ApiServer {
  readonly #children: ChildProcess[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'slipway-kubernetes-'));
  #port = 0;

  /** Configuration for kubectl and helm, as an administrator. */
  get kubeconfig(): string {
    return join(this.#folder, 'kubeconfig');
  }

  get address(): string {
    return `https://127.0.0.1:${this.#port}`;
  }

  /** Certificate that its clients trust. */
  get certificate(): string {
    return join(this.#folder, 'certificates/apiserver.crt');
  }

  /** Key that signs the tokens of service accounts. */
  get accountsKey(): string {
    return join(this.#folder, 'accounts.key');
  }

  /** @throws Error when the API server is not ready within two minutes */
  async start({ etcd, apiserver }: ApiServerTools): Promise<void> {
    const [client = 0, peer = 0, port = 0] = await freePorts(3);
    this.#port = port;
    await this.#writeFiles();
    const [clients, peers] = [`http://127.0.0.1:${client}`, `http://127.0.0.1:${peer}`];
    this.run(etcd, [
      ...['--data-dir', join(this.#folder, 'etcd'), '--listen-client-urls', clients, '--advertise-client-urls', clients],
      ...['--listen-peer-urls', peers, '--initial-advertise-peer-urls', peers, '--initial-cluster', `default=${peers}`],
      ...['--log-level', 'error', '--unsafe-no-fsync'],
    ]);
    const key = this.accountsKey;
    this.run(apiserver, [
      ...[
        '--etcd-servers',
        clients,
        '--secure-port',
        String(port),
        '--bind-address',
        '127.0.0.1',
        '--cert-dir',
        join(this.#folder, 'certificates'),
      ],
      ...[
        '--token-auth-file',
        join(this.#folder, 'tokens.csv'),
        '--authorization-mode',
        'RBAC',
        '--service-cluster-ip-range',
        '10.0.0.0/24',
      ],
      ...[
        '--service-account-issuer',
        'https://kubernetes.default.svc',
        '--service-account-key-file',
        key,
        '--service-account-signing-key-file',
        key,
      ],
      ...this.#frontProxyFlags(),
      '--v=0',
    ]);
    const isReady = (): Promise<boolean> =>
      this.kubectl(['get', '--raw', '/readyz']).then(
        () => true,
        () => false,
      );
    await until('the API server is ready', isReady, 120_000, 500);
  }

  /** How it proves to servers of further APIs for whom it asks. */
  #frontProxyFlags(): string[] {
    const headers = { username: 'X-Remote-User', group: 'X-Remote-Group' };
    return [
      ...['--requestheader-client-ca-file', join(this.#folder, 'front-proxy-ca.crt')],
      ...Object.entries(headers).map(([name, header]) => `--requestheader-${name}-headers=${header}`),
      ...['--proxy-client-cert-file', join(this.#folder, 'front-proxy.crt')],
      ...['--proxy-client-key-file', join(this.#folder, 'front-proxy.key')],
    ];
  }

  async #writeFiles(): Promise<void> {
    mkdirSync(join(this.#folder, 'certificates'));
    const authority = await makeAuthority('front-proxy', validFor(1));
    const { cert, key } = await makeCertificate(authority, { name: 'front-proxy', hosts: [], ...validFor(1) });
    for (const [name, text] of Object.entries({ 'front-proxy-ca.crt': authority.cert, 'front-proxy.crt': cert, 'front-proxy.key': key }))
      writeFileSync(join(this.#folder, name), text, { mode: 0o600 });
    writeFileSync(join(this.#folder, 'tokens.csv'), `${TOKEN},administrator,1,"system:masters"\n`);
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    writeFileSync(this.accountsKey, privateKey.export({ type: 'pkcs1', format: 'pem' }), { mode: 0o600 });
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'here', cluster: { server: this.address, 'certificate-authority': this.certificate } }],
      users: [{ name: 'administrator', user: { token: TOKEN } }],
      contexts: [{ name: 'here', context: { cluster: 'here', user: 'administrator', namespace: 'serving' } }],
      'current-context': 'here',
    };
    writeFileSync(this.kubeconfig, JSON.stringify(config));
  }

  /** Starts a program that ends with the cluster. @param variables beside those of this process */
  run(program: string, args: readonly string[], variables: NodeJS.ProcessEnv = {}): void {
    const child = spawn(program, args, { stdio: 'ignore', env: { ...process.env, ...variables } });
    endWithProcess(child);
    this.#children.push(child);
  }

  /** @throws Error with what kubectl printed */
  async kubectl(args: readonly string[], input?: string): Promise<string> {
    const running = run('kubectl', ['--kubeconfig', this.kubeconfig, ...args], { maxBuffer: 2 ** 26 });
    running.child.stdin?.end(input);
    return (await running).stdout;
  }

  /** An object by kind and name; undefined where there is none. */
  async get<T>(kind: string, name: string): Promise<T | undefined> {
    const found = await this.kubectl(['get', kind, name, '--output', 'json', '--ignore-not-found']);
    return found === '' ? undefined : (JSON.parse(found) as T);
  }

  /** Makes a server on this machine an API of the cluster, and waits until it is available. @param api its version and group */
  async register(api: string, port: number): Promise<void> {
    const [version = '', ...group] = api.split('.');
    const name = api.replaceAll('.', '-');
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name, namespace: 'default' },
      spec: { type: 'ExternalName', externalName: 'localhost' },
    };
    const spec = { version, group: group.join('.'), groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true };
    const registered = {
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: api },
      spec: { ...spec, service: { name, namespace: 'default', port } },
    };
    await this.kubectl(['apply', '--filename', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [service, registered] }));
    await this.kubectl(['wait', '--for=condition=Available', `apiservice/${api}`, '--timeout=60s']);
  }

  async patchStatus(kind: string, name: string, status: object): Promise<void> {
    await this.kubectl(['patch', kind, name, '--subresource', 'status', '--type', 'merge', '--patch', JSON.stringify({ status })]);
  }

  async stop(): Promise<void> {
    for (const child of this.#children.toReversed()) {
      if (child.exitCode !== null || child.pid === undefined) continue;
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
