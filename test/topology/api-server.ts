import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { endWithProcess, freePorts } from '@slipway/testing';
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
    this.#writeFiles();
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
      '--v=0',
    ]);
    const isReady = (): Promise<boolean> =>
      this.kubectl(['get', '--raw', '/readyz']).then(
        () => true,
        () => false,
      );
    await until('the API server is ready', isReady, 120_000, 500);
  }

  #writeFiles(): void {
    mkdirSync(join(this.#folder, 'certificates'));
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

  /** Starts a program that ends with the cluster. */
  run(program: string, args: readonly string[]): void {
    const child = spawn(program, args, { stdio: 'ignore' });
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
