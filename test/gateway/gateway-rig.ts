import { createHash, randomBytes } from 'node:crypto';
import {
  type AccountId,
  type DeploymentFacts,
  DeploymentFeed,
  type DeploymentFeedRecord,
  type DeploymentId,
  formatKey,
  KeyFeed,
  type KeyFeedRecord,
  type KeyId,
  type KeyKind,
  type Limits,
} from '@slipway/contracts';
import { connectNats, createLogger, type Logger, macOf, type NatsConnection, type Pepper, pepperOf } from '@slipway/platform';
import { Registry } from '@slipway/platform/metrics';
import { type RunningService, startService } from '@slipway/platform/service';
import { TestNatsServer } from '@slipway/testing';
import { type GatewayOverrides, gatewayWith } from '../../apps/gateway/src/gateway-service.js';
import { until as poll } from '../testing/until.js';
import { ScriptedFeed } from './scripted-feed.js';
import { ScriptedRunner, type ScriptedRunnerOptions } from './scripted-runner.js';

export const ENV = 'test';
export const PEPPERS = `new:${'ab'.repeat(32)},old:${'cd'.repeat(32)}`;

/** Polls until `condition` holds, with the time that a gateway takes which runs in the test's own process. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, withinMs = 10_000): Promise<void> {
  await poll(what, condition, withinMs);
}

export interface RigOptions extends GatewayOverrides {
  readonly config?: Readonly<Record<string, string>>;
}

/** A running gateway of a rig. */
export interface RunningGateway {
  readonly gateway: RunningService;
  readonly url: string;
  readonly metrics: Registry;
  stop(drainMs?: number): Promise<void>;
}

/** A NATS server, both feeds, runners and gateways, all in this process except the server. */
export class GatewayRig {
  readonly log: Logger = createLogger('test', 'silent');
  readonly gateways: RunningGateway[] = [];
  readonly runners: ScriptedRunner[] = [];
  private readonly connections: NatsConnection[] = [];
  private lastId = 0;

  private constructor(
    readonly server: TestNatsServer,
    readonly keys: ScriptedFeed<KeyFeedRecord>,
    readonly deployments: ScriptedFeed<DeploymentFeedRecord>,
    owner: NatsConnection,
  ) {
    this.connections.push(owner);
  }

  /** @param storeDir folder of JetStream; absent = the server has none */
  static async start(storeDir?: string): Promise<GatewayRig> {
    const server = await TestNatsServer.start(
      storeDir === undefined ? {} : { config: `jetstream { store_dir: ${JSON.stringify(storeDir)} }` },
    );
    const nats = await connectNats({ url: server.url, role: 'keys', name: 'feeds', log: createLogger('test', 'silent') });
    const keys = new ScriptedFeed(KeyFeed, nats, ENV);
    const deployments = new ScriptedFeed(DeploymentFeed, nats, ENV);
    keys.start();
    deployments.start();
    return new GatewayRig(server, keys, deployments, nats);
  }

  async connect(name: string, role: 'gateway' | 'worker' | 'boot' = 'worker'): Promise<NatsConnection> {
    const nats = await connectNats({ url: this.server.url, role, name, log: this.log });
    this.connections.push(nats);
    return nats;
  }

  /** Starts a gateway and waits until it is ready. */
  async gateway({ config = {}, ...changes }: RigOptions = {}): Promise<RunningGateway> {
    const gateway = await startService(gatewayWith(changes), {
      SLIPWAY_ENV: ENV,
      NATS_URL: this.server.url,
      KEY_PEPPERS: PEPPERS,
      PORT: 0,
      PUBLIC_BASE_URL: 'http://gw.test',
      ...config,
    });
    await until('the gateway is ready', () => gateway.notReady() === null);
    const stop = (drainMs = 1_000): Promise<void> => gateway.stop(drainMs);
    const running = { gateway, metrics: gateway.get(Registry), url: `http://127.0.0.1:${gateway.port}`, stop };
    this.gateways.push(running);
    return running;
  }

  async runner(options: Pick<ScriptedRunnerOptions, 'dep'> & Partial<ScriptedRunnerOptions>): Promise<ScriptedRunner> {
    const runner = new ScriptedRunner({ nats: await this.connect('runner'), env: ENV, log: this.log, ...options });
    this.runners.push(runner);
    runner.start();
    return runner;
  }

  /** Waits until a gateway knows a runner of a deployment. */
  async whenAnswering({ url }: RunningGateway, { id }: DeploymentFacts, key: string): Promise<void> {
    const body = JSON.stringify({ model: `deployment-${id}`, messages: [{ role: 'user', content: 'x' }] });
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    await until('the gateway answers', async () => {
      const response = await fetch(`${url}/deployment-${id}/v1/chat/completions`, { method: 'POST', headers, body });
      await response.text();
      return response.status === 200;
    });
  }

  account(slug = `acct-${this.nextId()}`, rest: { limits?: Limits; uploads?: number } = {}): { id: AccountId; slug: string } {
    const id = this.nextId() as AccountId;
    this.keys.put(`account:${id}`, { type: 'account', id, slug, state: 'active', ...rest });
    return { id, slug };
  }

  key(account: AccountId, { kind = 'dep', pepper = 'new', ...rest }: KeyOptions = {}): { id: KeyId; value: string; record: KeyFeedRecord } {
    const value = formatKey(kind, randomBytes(32));
    const id = this.nextId() as KeyId;
    const mac = macOf(value, pepperNamed(pepper)).toString('base64url');
    const record: KeyFeedRecord = {
      type: 'key',
      id,
      account,
      kind,
      mac,
      pepper,
      state: 'active',
      expires: null,
      deployments: null,
      ...rest,
    };
    this.keys.put(`key:${id}`, record);
    return { id, value, record };
  }

  deployment(account: AccountId, facts: Partial<DeploymentFacts> = {}): DeploymentFacts {
    const id = this.nextId() as DeploymentId;
    const record: DeploymentFacts = {
      type: 'deployment',
      id,
      account,
      desired: 'ready',
      state: 'ready',
      rev: 1,
      caps: [],
      context: null,
      ...facts,
    };
    this.deployments.put(`deployment:${id}`, record);
    return record;
  }

  alias(account: AccountId, name: string, deployment: DeploymentId): void {
    this.deployments.put(`alias:${this.nextId()}`, { type: 'alias', account, name, deployment });
  }

  async end(): Promise<void> {
    await Promise.allSettled(this.gateways.map((gateway) => gateway.stop(0)));
    await Promise.allSettled(this.runners.map((runner) => runner.stop()));
    this.keys.stop();
    this.deployments.stop();
    await Promise.allSettled(this.connections.map((nats) => nats.close()));
    await this.server.end();
  }

  private nextId(): number {
    this.lastId += 1;
    return this.lastId;
  }
}

type KeyOptions = {
  kind?: KeyKind;
  pepper?: string;
  state?: 'active' | 'revoked';
  expires?: number | null;
  deployments?: DeploymentId[] | null;
  limits?: Limits;
};

function pepperNamed(id: string): Pepper {
  const hex = id === 'old' ? 'cd' : 'ab';
  return pepperOf(id, Buffer.from(hex.repeat(32), 'hex'));
}

/** A well-formed key that does not exist. */
export const unknownKey = (seed: string): string => formatKey('dep', createHash('sha256').update(seed).digest());
