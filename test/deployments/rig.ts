import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
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
  ROLES,
  type Role,
  type RpcContract,
} from '@slipway/contracts';
import { FeedReader } from '@slipway/feed';
import { connectNats, createLogger, type NatsConnection, nuid, renderNatsConf, RpcClient } from '@slipway/platform';
import { freePorts, TestNatsServer, type TestPostgres } from '@slipway/testing';
import { test } from 'vitest';
import type { z } from 'zod';
import { BreakableTcp } from './breakable-tcp.js';
import { FakeAgent } from './fake-agent.js';
import { RealWorker } from './real-worker.js';
import { until } from './until.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const ENV = 'test';
const log = createLogger('test', 'silent');
export const MODEL = join(root, 'models/svc-tiny.Q8_0.gguf');
export const ENGINE_HOST = 'engine.test:8000';

let accounts = 0;
/** An account that no other test uses. */
export const anAccount = (): AccountId => (accounts += 1) as AccountId;

/** What an owner should see in the end; the deadline in milliseconds only bounds a failure. */
type Seen = [account: AccountId, id: DeploymentId, state: string, reason?: string | null, deadlineMs?: number];

/** A replica of deployments-service as a process. */
export interface Replica {
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  /** All that it wrote. */
  output(): string;
  /** Status and text of /readyz; status 0 while nobody listens. */
  readyz(): Promise<{ status: number; text: string }>;
}

const exitOf = (child: ChildProcess): Promise<number | null> =>
  child.exitCode !== null || child.signalCode !== null
    ? Promise.resolve(child.exitCode)
    : new Promise((resolve) => child.once('exit', (code) => resolve(code)));

/** What a gateway knows by the feed, with every state in which it saw each deployment. */
class GatewayView {
  readonly records = new Map<string, DeploymentFeedRecord>();
  readonly states = new Map<number, string[]>();

  replaceAll(records: readonly { id: string; rec: DeploymentFeedRecord }[]): void {
    this.records.clear();
    for (const { id, rec } of records) this.put(id, rec);
  }

  put(id: string, rec: DeploymentFeedRecord): void {
    this.records.set(id, rec);
    if (rec.type !== 'deployment') return;
    const seen = this.states.get(rec.id) ?? [];
    if (seen.at(-1) !== rec.state) this.states.set(rec.id, [...seen, rec.state]);
  }

  remove(id: string): void {
    this.records.delete(id);
  }

  deployment(id: number): DeploymentFacts | undefined {
    const record = this.records.get(`deployment:${id}`);
    return record?.type === 'deployment' ? record : undefined;
  }

  /** The deployment that the alias points at. */
  alias(account: number, name: string): number | undefined {
    const record = this.records.get(`alias:${account}/${name}`);
    return record?.type === 'alias' ? record.deployment : undefined;
  }
}

/** deployments-service with a NATS server that enforces permissions, a database, agents, a console and a gateway. */
export class DeploymentsRig {
  readonly folder = mkdtempSync(join(tmpdir(), 'slipway-deployments-'));
  readonly gateway = new GatewayView();
  readonly #replicas: ChildProcess[] = [];
  readonly #agents: FakeAgent[] = [];
  readonly #workers: RealWorker[] = [];
  readonly #connections: NatsConnection[] = [];
  #nats!: TestNatsServer;
  #natsUrl = '';
  #rpc!: RpcClient;
  #feed!: FeedReader<DeploymentFeedRecord>;
  #agentConnection!: NatsConnection;
  /** The way from the service to its database. */
  database!: BreakableTcp;
  #databaseUrl = '';
  #directDatabaseUrl = '';

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
    for (const child of this.#replicas) child.kill('SIGKILL');
    await Promise.all(this.#workers.map((worker) => worker.end()));
    await Promise.all(this.#replicas.map(exitOf));
    await this.#feed?.stop();
    await Promise.all(this.#connections.map((connection) => connection.close()));
    await this.#nats?.end();
    await this.database?.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  get nats(): TestNatsServer {
    return this.#nats;
  }

  /** The database itself, past the way that can be cut. */
  get databaseUrl(): string {
    return this.#directDatabaseUrl;
  }

  /** Starts a replica without waiting for it. */
  spawnReplica(settings: NodeJS.ProcessEnv = {}): Replica {
    const child = spawn(process.execPath, [join(root, 'apps/deployments-service/dist/main.js')], {
      stdio: ['ignore', 'pipe', 'pipe'],
      cwd: this.folder,
      env: {
        PATH: process.env['PATH'],
        SLIPWAY_ENV: ENV,
        LOG_LEVEL: 'debug',
        NATS_URL: this.#natsUrl,
        NATS_CREDENTIALS_DIR: this.folder,
        DEPLOYMENTS_DATABASE_URL: this.#databaseUrl,
        SLIPWAY_SECRET_KEY: 'ab'.repeat(32),
        MODEL_DIRS: join(root, 'models'),
        MODEL_HOSTS: 'huggingface.co',
        ENGINE_HOSTS: ENGINE_HOST,
        DRAIN_MS: '3000',
        HANDOVER_MS: '1000',
        ...settings,
      },
    });
    this.#replicas.push(child);
    let written = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (written += chunk.toString()));
    const opsPort = (): string | undefined => /"port":(\d+),"event":"ops.listening"/.exec(written)?.[1];
    return {
      child,
      exited: exitOf(child),
      output: () => written,
      readyz: async () => {
        const port = opsPort();
        if (port === undefined) return { status: 0, text: '' };
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null);
        return { status: answer?.status ?? 0, text: (await answer?.text()) ?? '' };
      },
    };
  }

  /** Starts a replica and waits until it is ready. */
  async startReplica(settings: NodeJS.ProcessEnv = {}): Promise<Replica> {
    const replica = this.spawnReplica(settings);
    await until('the replica is ready', async () => {
      if (replica.child.exitCode !== null) throw new Error(`The replica ended:\n${replica.output()}`);
      return (await replica.readyz()).status === 200;
    });
    return replica;
  }

  startAgent(changes: Partial<Pick<FakeAgent, 'react' | 'facts' | 'holds'>> = {}): FakeAgent {
    const agent = Object.assign(new FakeAgent(this.#agentConnection, ENV), changes);
    this.#agents.push(agent);
    agent.beat();
    return agent;
  }

  /** Starts a real agent without waiting for it. */
  startWorker(settings: NodeJS.ProcessEnv = {}): RealWorker {
    const worker = new RealWorker(this.folder, {
      SLIPWAY_ENV: ENV,
      NATS_URL: this.#natsUrl,
      NATS_CREDENTIALS_DIR: this.folder,
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
    const request = { account, name: 'a model', source: { kind: 'file' as const, path: MODEL }, ...changes };
    return (await this.#rpc.call(CreateDeployment, request)).id;
  }

  async list(account: AccountId): Promise<DeploymentView[]> {
    return (await this.#rpc.call(ListDeployments, { account })).deployments;
  }

  async view(account: AccountId, id: DeploymentId): Promise<DeploymentView> {
    const view = (await this.list(account)).find((deployment) => deployment.id === id);
    if (!view) throw new Error(`Deployment ${id} is not listed.`);
    return view;
  }

  /** Asks for anything else that the service serves. */
  ask<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return this.#rpc.call(contract, request);
  }

  async pointAlias(account: AccountId, alias: string, deployment: DeploymentId): Promise<void> {
    await this.#rpc.call(PointAlias, { account, alias, deployment });
  }

  /** Waits until the owner sees the state. */
  seen(...[account, id, state, reason = null, deadlineMs]: Seen): Promise<DeploymentView> {
    const probe = async (): Promise<DeploymentView | false> => {
      const view = await this.view(account, id);
      return view.state === state && view.reason === reason && view;
    };
    return until(`deployment ${id} is ${state} (${reason})`, probe, deadlineMs);
  }

  /** Waits until gateways know the state. */
  heard(id: DeploymentId, state: string): Promise<DeploymentFacts> {
    return until(`gateways hear that deployment ${id} is ${state}`, () => {
      const facts = this.gateway.deployment(id);
      return facts?.state === state && facts;
    });
  }

  /** True once the gateway may rely on what it knows. */
  gatewayIsFresh(): boolean {
    return this.#feed.freshness().state === 'fresh';
  }

  async #open(postgres: TestPostgres): Promise<void> {
    const url = new URL(await postgres.createDatabase());
    this.#directDatabaseUrl = url.href;
    this.database = await BreakableTcp.to(url.hostname, Number(url.port));
    url.port = String(this.database.port);
    url.hostname = '127.0.0.1';
    this.#databaseUrl = url.href;
    await this.#startNats();
    const [console, gateway, agents] = await Promise.all([this.#connect('console'), this.#connect('gateway'), this.#connect('worker')]);
    this.#rpc = new RpcClient(console, ENV);
    this.#agentConnection = agents;
    const reader = Incarnation.parse(nuid.next());
    this.#feed = new FeedReader({ contract: DeploymentFeed, nats: gateway, env: ENV, reader, sink: this.gateway, log });
    this.#feed.start();
  }

  async #connect(role: Role): Promise<NatsConnection> {
    const connection = await connectNats({ url: this.#natsUrl, role, credentialsDir: this.folder, name: `test-${role}`, log });
    this.#connections.push(connection);
    return connection;
  }

  async #startNats(): Promise<void> {
    const [port = 0] = await freePorts(1);
    const passwords = Object.fromEntries(ROLES.map((role) => [role, nuid.next()])) as Record<Role, string>;
    for (const role of ROLES) writeFileSync(join(this.folder, `${role}.json`), JSON.stringify({ user: role, password: passwords[role] }));
    const config = renderNatsConf({ env: ENV, host: '127.0.0.1', port, serverName: 'test', storeDir: join(this.folder, 'js'), passwords });
    this.#nats = await TestNatsServer.start({ port, config });
    this.#natsUrl = this.#nats.url;
  }
}

/** Tests with a rig of their own each, which may run side by side. */
export const rigTest = (postgres: () => TestPostgres) =>
  test.extend<{ rig: DeploymentsRig }>({
    // eslint-disable-next-line no-empty-pattern -- vitest reads the fixture's needs from this pattern
    rig: async ({}, use) => {
      const rig = await DeploymentsRig.open(postgres());
      try {
        await use(rig);
      } finally {
        await rig.close();
      }
    },
  });
