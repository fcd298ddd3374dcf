import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type AccountId,
  CreateAccount,
  CreateDeployment,
  CreateKey,
  type DeploymentId,
  ListDeployments,
  QueryUsage,
  SCOPED_ROLES,
  UsageStream,
} from '@slipway/contracts';
import {
  completeSeeds,
  connectNats,
  createLogger,
  ensureWorkStream,
  type NatsConnection,
  type NatsConfOptions,
  roleCredentials,
  RpcClient,
  workerSigning,
} from '@slipway/platform';
import {
  chatChunk,
  freePorts,
  ScriptedUpstream,
  sseEvent,
  startTestPostgres,
  TestNatsServer,
  type TestPostgres,
  usageChunk,
} from '@slipway/testing';
import { PatientRpc } from '../services/patient-rpc.js';
import { PEPPER_SECRET, ServiceProcess } from '../services/service-process.js';
import type { AppName } from '../services/test-service.js';
import { until } from '../testing/until.js';
import { ANSWER, BalancedLoad } from './balanced-load.js';
import { natsConfOf, type Release } from './two-releases.js';

const ENV = 'test';
/** A busy machine takes its time. */
const WITHIN_MS = 90_000;
/** Everything that a fleet has two of, in the order in which it is updated. */
const ORDER = ['deployments-service', 'keys-service', 'inference-worker', 'gateway'] as const;
type Rolled = (typeof ORDER)[number];

const words = Array.from({ length: ANSWER.tokens }, (_, nth) => `w${nth} `);
const STEPS = [
  chatChunk({ role: 'assistant', content: '' }),
  ...words.flatMap((content) => [{ pauseMs: ANSWER.pauseMs }, chatChunk({ content })]),
  chatChunk({}, 'stop'),
  usageChunk(ANSWER.prompt, ANSWER.tokens),
  sseEvent('[DONE]'),
];

/** What a running fleet stands on. */
interface Ground {
  readonly folder: string;
  readonly server: TestNatsServer;
  readonly conf: NatsConfOptions;
  readonly postgres: TestPostgres;
  readonly upstream: ScriptedUpstream;
  readonly environment: Readonly<Record<string, string>>;
}

async function layGround(first: Release): Promise<Ground> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-upgrade-'));
  const seeds = completeSeeds();
  for (const role of SCOPED_ROLES) await writeFile(join(folder, `${role}.creds`), roleCredentials(role, seeds));
  await writeFile(join(folder, 'signing.json'), workerSigning(seeds));
  const [port = 0] = await freePorts(1);
  const conf = { env: ENV, host: '127.0.0.1', port, serverName: 'one', storeDir: join(folder, 'jetstream'), seeds };
  const server = await TestNatsServer.start({ port, config: await natsConfOf(first, conf) });
  const [postgres, upstream] = await Promise.all([startTestPostgres(), ScriptedUpstream.start(() => ({ steps: STEPS }))]);
  const environment = {
    // Empty: each release runs its own migrations.
    KEYS_DATABASE_URL: await postgres.createDatabase(),
    DEPLOYMENTS_DATABASE_URL: await postgres.createDatabase(),
    KEY_PEPPERS: `p1:${PEPPER_SECRET}`,
    SLIPWAY_SECRET_KEY: PEPPER_SECRET,
    ENGINE_HOSTS: '127.0.0.1',
    PORT: '0',
    DRAIN_MS: '30000',
    SHUTDOWN_GRACE_MS: '3000',
    MODEL_CACHE_DIR: join(folder, 'models'),
  };
  return { folder, server, conf, postgres, upstream, environment };
}

const addressOf = (gateway: ServiceProcess): string => `http://127.0.0.1:${gateway.port('gateway.listening')}`;

/** Two of each process that requests pass, of one release or of two, under clients that stream without pause. */
export class UpgradedFleet {
  readonly #running = new Map<Rolled, ServiceProcess[]>();
  readonly #all: ServiceProcess[] = [];
  #account!: AccountId;
  #deployment!: DeploymentId;
  load!: BalancedLoad;

  private constructor(
    private readonly ground: Ground,
    private readonly nats: NatsConnection,
    private readonly rpc: PatientRpc,
  ) {}

  /** @param streams how many clients ask at all times */
  static async start(release: Release, streams: number): Promise<UpgradedFleet> {
    const ground = await layGround(release);
    const login = { url: ground.server.url, credentialsDir: ground.folder, log: createLogger('test', 'silent') };
    const boot = await connectNats({ ...login, role: 'boot', name: 'boot' });
    await ensureWorkStream(UsageStream, { nats: boot, env: ENV, timeoutMs: 20_000 });
    await boot.close();
    const nats = await connectNats({ ...login, role: 'ops', name: 'ops' });
    const fleet = new UpgradedFleet(ground, nats, new PatientRpc(new RpcClient(nats, ENV)));
    try {
      for (const app of ORDER)
        fleet.#running.set(app, await Promise.all([fleet.spawn(app, release).ready(), fleet.spawn(app, release).ready()]));
      await fleet.#serve(streams);
      return fleet;
    } catch (error) {
      await fleet.end();
      throw error;
    }
  }

  /** Starts a process beside those that serve, without waiting for it. */
  spawn(app: AppName, { root }: Release): ServiceProcess {
    const { server, folder, environment } = this.ground;
    const started = new ServiceProcess(app, { url: server.url, credentialsDir: folder }, environment, root);
    this.#all.push(started);
    return started;
  }

  /** Loads nats.conf as a release writes it. */
  async loadNatsConf(release: Release): Promise<void> {
    await this.ground.server.reload(await natsConfOf(release, this.ground.conf));
  }

  /** Replaces both processes of an app, one after the other: each leaves when its successor is ready. */
  async roll(app: Rolled, release: Release): Promise<void> {
    for (let nth = 0; nth < 2; nth += 1) {
      const [old, kept] = this.#running.get(app) ?? [];
      if (!old || !kept) throw new Error(`There are no two ${app}.`);
      const next = await this.spawn(app, release).ready();
      if (app === 'gateway') await this.#balance(next, old);
      await old.stop();
      if (app === 'inference-worker') await this.#whenServed();
      this.#running.set(app, [kept, next]);
    }
  }

  /** Waits until so many more requests were answered. */
  async answered(more: number): Promise<void> {
    const before = this.load.ended;
    await until(`${more} more requests end`, () => this.load.ended >= before + more, WITHIN_MS);
  }

  /** Ends the clients, and reads how much the ledger counted once it holds all requests. */
  async counted(): Promise<{ readonly requests: number; readonly errors: number; readonly prompt: number; readonly completion: number }> {
    await this.load.end();
    const sum = async (): Promise<Awaited<ReturnType<UpgradedFleet['counted']>> | null> => {
      const range = { from: new Date(Date.now() - 3_600_000).toISOString(), to: new Date(Date.now() + 3_600_000).toISOString() };
      const { rows } = await this.rpc.ask(QueryUsage, { account: this.#account, ...range, step: 'total', group_by: [] });
      const [row] = rows;
      if (!row || row.requests < this.load.ended) return null;
      const { requests, errors, prompt_tokens: prompt, completion_tokens: completion } = row;
      return completion < prompt ? null : { requests, errors, prompt, completion };
    };
    await until('the ledger holds all requests', sum, WITHIN_MS);
    // What is counted twice would come at the next look at the latest.
    await new Promise((resolve) => setTimeout(resolve, 2_000));
    return until('the ledger is read', sum, WITHIN_MS);
  }

  async end(): Promise<void> {
    await this.load?.end();
    await Promise.all(this.#all.map((one) => one.end()));
    await this.nats.close();
    await this.ground.upstream.stop();
    await this.ground.server.end();
    await this.ground.postgres.stop();
    await rm(this.ground.folder, { recursive: true, force: true });
  }

  async #serve(streams: number): Promise<void> {
    this.#account = (await this.rpc.ask(CreateAccount, { slug: 'tenant' })).id;
    const { value } = await this.rpc.ask(CreateKey, { account: this.#account, name: 'a key' });
    const source = { kind: 'http' as const, url: this.ground.upstream.url, model: 'scripted' };
    this.#deployment = (await this.rpc.ask(CreateDeployment, { account: this.#account, name: 'a model', source })).id;
    await this.#whenServed();
    this.load = new BalancedLoad(`deployment-${this.#deployment}`, value);
    for (const gateway of this.#running.get('gateway') ?? []) this.load.add(addressOf(gateway));
    this.load.start(streams);
    await this.answered(streams);
  }

  /** Waits until both workers serve the deployment. */
  async #whenServed(): Promise<void> {
    await until(
      'the deployment has all its replicas',
      async () => {
        const { deployments } = await this.rpc.ask(ListDeployments, { account: this.#account });
        return deployments.some((one) => one.id === this.#deployment && one.state === 'ready' && one.ready_replicas === 2);
      },
      WITHIN_MS,
      250,
    );
  }

  /** The old gateway leaves the balancer by its own readiness check. */
  async #balance(next: ServiceProcess, old: ServiceProcess): Promise<void> {
    this.load.add(addressOf(next));
    await until('the balancer uses the new gateway', () => this.load.uses(addressOf(next)), WITHIN_MS);
    void old.exited.then(() => this.load.remove(addressOf(old)));
  }
}
