import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type AccountId,
  CreateDeployment,
  DeploymentFeed,
  type DeploymentFacts,
  type DeploymentFeedRecord,
  type DeploymentId,
  type DeploymentView,
  Incarnation,
  ListDeployments,
  PointAlias,
  type Role,
  type RpcContract,
} from '@slipway/contracts';
import { FeedReader } from '@slipway/feed';
import { createLogger, type NatsConnection, nuid, RpcClient } from '@slipway/platform';
import type { TestNatsServer, TestPostgres } from '@slipway/testing';
import type { z } from 'zod';
import { Bus, ENV } from '../services/bus.js';
import { deploymentsDatabase } from '../services/migrated.js';
import { PatientRpc } from '../services/patient-rpc.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import { ServiceProcess } from '../services/service-process.js';
import type { TestService } from '../services/test-service.js';
import { until } from '../testing/until.js';
import { BreakableTcp } from './breakable-tcp.js';
import { FakeAgent } from './fake-agent.js';
import { GatewayView } from './gateway-view.js';
import { RealWorker } from './real-worker.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const log = createLogger('test', 'silent');
export const MODEL = join(root, 'models/svc-tiny.Q8_0.gguf');
/** What the services seal with. */
export const SECRET_KEY = 'ab'.repeat(32);
export const ENGINE_HOST = 'engine.test:8000';

let accounts = 0;
/** An account that no other test uses. */
export const anAccount = (): AccountId => (accounts += 1) as AccountId;

/** A deployment of the bundled model. */
export const aModel = (account: AccountId) => ({ account, name: 'a model', source: { kind: 'file' as const, path: MODEL } });

type Settings = Readonly<Record<string, string>>;

/** What an owner should see in the end; the deadline in milliseconds only bounds a failure. */
type Seen = [account: AccountId, id: DeploymentId, state: string, reason?: string | null, deadlineMs?: number];

/** deployments-service with a NATS server that enforces permissions, a database, agents, a console and a gateway. */
export class DeploymentsRig {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-deployments-'));
  readonly gateway = new GatewayView();
  readonly #replicas: TestService[] = [];
  readonly #agents: FakeAgent[] = [];
  readonly #workers: RealWorker[] = [];
  #bus!: Bus;
  #patient!: PatientRpc;
  /** Asks once, for tests of what is answered while something is away. */
  rpc!: RpcClient;
  #feed!: FeedReader<DeploymentFeedRecord>;
  #agentConnection!: NatsConnection;
  #databaseUrl = '';
  /** By which replicas reach it. */
  #servedUrl = '';
  #way: BreakableTcp | undefined;

  static async open(postgres: TestPostgres): Promise<DeploymentsRig> {
    const rig = new DeploymentsRig();
    try {
      await rig.#open(postgres);
      return rig;
    } catch (error) {
      await rig.close();
      throw error;
    }
  }

  async close(): Promise<void> {
    for (const agent of this.#agents) agent.stop();
    await Promise.all(this.#workers.map((worker) => worker.end()));
    await Promise.all(this.#replicas.map((replica) => replica.end()));
    await this.#feed?.stop();
    await this.#bus?.end();
    await this.#way?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  get nats(): TestNatsServer {
    return this.#bus.servers[0]!;
  }

  /** The database itself, past the way that can be cut. */
  get databaseUrl(): string {
    return this.#databaseUrl;
  }

  /** Has the replicas that start from now on reach their database by a way that can be cut; every byte takes it, which costs. */
  async breakableDatabase(): Promise<BreakableTcp> {
    [this.#way, this.#servedUrl] = await BreakableTcp.toDatabase(this.#databaseUrl);
    return this.#way;
  }

  /** Starts a replica as a process of its own, which can be killed, without waiting for it. */
  spawnReplica(settings: Settings = {}): ServiceProcess {
    const replica = new ServiceProcess('deployments-service', this.#bus, this.#environment({ DRAIN_MS: '3000', ...settings }));
    this.#replicas.push(replica);
    return replica;
  }

  /** Starts a replica as a process of its own, as `startReplica` does. */
  startProcess(settings: Settings = {}): Promise<ServiceProcess> {
    return this.#joined(this.spawnReplica(settings));
  }

  /** Starts a replica in this process and waits until it is ready, and gateways will hear of every state that comes. */
  startReplica(settings: Settings = {}): Promise<TestService> {
    const replica = new ServiceInProcess('deployments-service', this.#bus, this.#environment(settings));
    this.#replicas.push(replica);
    return this.#joined(replica);
  }

  startAgent({ wk, ...changes }: Partial<Pick<FakeAgent, 'wk' | 'react' | 'facts' | 'holds' | 'old' | 'lies'>> = {}): FakeAgent {
    const agent = Object.assign(new FakeAgent(this.#agentConnection, ENV, wk), changes);
    this.#agents.push(agent);
    agent.beat();
    return agent;
  }

  /** Starts a real agent without waiting for it. */
  startWorker(settings: NodeJS.ProcessEnv = {}): RealWorker {
    const worker = new RealWorker(this.folder, {
      SLIPWAY_ENV: ENV,
      NATS_URL: this.#bus.url,
      NATS_CREDENTIALS_DIR: this.#bus.credentialsDir,
      MODEL_DIRS: `${join(root, 'models')},${this.folder}`,
      MODEL_CACHE_DIR: join(this.folder, 'cache'),
      UNLOAD_GRACE_MS: '1000',
      ...settings,
    });
    this.#workers.push(worker);
    return worker;
  }

  /** Makes a deployment of the bundled model, or of what `changes` say, right or wrong. */
  async create(account: AccountId, changes: object = {}): Promise<DeploymentId> {
    return (await this.#patient.ask(CreateDeployment, { ...aModel(account), ...changes })).id;
  }

  async list(account: AccountId): Promise<DeploymentView[]> {
    return (await this.#patient.ask(ListDeployments, { account })).deployments;
  }

  async view(account: AccountId, id: DeploymentId): Promise<DeploymentView> {
    const view = (await this.list(account)).find((deployment) => deployment.id === id);
    if (!view) throw new Error(`Deployment ${id} is not listed.`);
    return view;
  }

  /** Asks for anything else that the service serves. */
  ask<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return this.#patient.ask(contract, request);
  }

  /** A connection with the permissions of a role, which ends with the rig. */
  connection(role: Role): Promise<NatsConnection> {
    return this.#bus.connect(role);
  }

  /** Another RPC client, with the permissions of a role. */
  async connect(role: Role): Promise<RpcClient> {
    return new RpcClient(await this.#bus.connect(role), ENV);
  }

  async pointAlias(account: AccountId, alias: string, deployment: DeploymentId): Promise<void> {
    await this.#patient.ask(PointAlias, { account, alias, deployment });
  }

  /** Waits until the owner sees the state. */
  seen(...[account, id, state, reason = null, deadlineMs]: Seen): Promise<DeploymentView> {
    const probe = async (): Promise<DeploymentView | false> => {
      const view = await this.view(account, id);
      return view.state === state && view.reason === reason && view;
    };
    return until(`deployment ${id} is ${state} (${reason})`, probe, deadlineMs);
  }

  /** Waits until the deployment feed has the state. */
  published(id: DeploymentId, state: string): Promise<DeploymentFacts> {
    return until(`the feed says that deployment ${id} is ${state}`, () => {
      const facts = this.gateway.deployment(id);
      return facts?.state === state && facts;
    });
  }

  /** True once the gateway may rely on what it knows. */
  gatewayIsFresh(): boolean {
    return this.#feed.freshness().state === 'fresh';
  }

  #environment(settings: Settings): Settings {
    return {
      LOG_LEVEL: 'debug',
      DEPLOYMENTS_DATABASE_URL: this.#servedUrl,
      SLIPWAY_SECRET_KEY: SECRET_KEY,
      MODEL_DIRS: join(root, 'models'),
      MODEL_HOSTS: 'huggingface.co',
      ENGINE_HOSTS: ENGINE_HOST,
      HANDOVER_MS: '1000',
      ...settings,
    };
  }

  async #joined<S extends TestService>(replica: S): Promise<S> {
    await replica.ready();
    await until('gateways rely on what they know', () => this.gatewayIsFresh());
    return replica;
  }

  async #open(postgres: TestPostgres): Promise<void> {
    this.#databaseUrl = await deploymentsDatabase(postgres);
    this.#servedUrl = this.#databaseUrl;
    const bus = await Bus.start();
    this.#bus = bus;
    const [ops, gateway, agents] = await Promise.all([bus.connect('ops'), bus.connect('gateway'), bus.connect('worker')]);
    this.rpc = new RpcClient(ops, ENV);
    this.#patient = new PatientRpc(this.rpc);
    this.#agentConnection = agents;
    const reader = Incarnation.parse(nuid.next());
    this.#feed = new FeedReader({ contract: DeploymentFeed, nats: gateway, env: ENV, reader, sink: this.gateway, log });
    this.#feed.start();
  }
}
