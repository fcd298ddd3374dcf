import { isDeepStrictEqual } from 'node:util';
import {
  type AccountId,
  CreateAccount,
  CreateDeployment,
  CreateKey,
  type DeploymentId,
  type DeploymentView,
  isServiceError,
  type KeyId,
  ListDeployments,
  PointAlias,
  type RpcContract,
} from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import {
  chatChunk,
  ScriptedUpstream,
  sseEvent,
  startTestPostgres,
  type TestPostgres,
  type UpstreamRequest,
  usageChunk,
} from '@slipway/testing';
import type { z } from 'zod';
import { until } from '../testing/until.js';
import { answerOf, type Call } from './client-answer.js';
import { Bus, ENV } from './bus.js';
import { deploymentsDatabase, keysDatabase } from './migrated.js';
import { PatientRpc } from './patient-rpc.js';
import { ServiceInProcess } from './service-in-process.js';
import { MODELS, PEPPER_SECRET, ServiceProcess } from './service-process.js';
import type { AppName, TestService } from './test-service.js';

/** Time that running streams get when their deployment is stopped, in milliseconds. */
export const STOP_GRACE_MS = 4_000;
const PEPPERS = `p1:${PEPPER_SECRET}`;

/** A tenant with one key. */
export interface Tenant {
  readonly account: AccountId;
  readonly slug: string;
  readonly key: { readonly id: KeyId; readonly value: string };
}

/** Lets held answers go on. */
export interface Hold {
  /** A request with this text is answered in two parts. */
  readonly text: string;
  release(): void;
}

/** What a test has that does not say otherwise: two of each process that a client's request passes. */
const ALL_APPS: readonly AppName[] = ['keys-service', 'deployments-service', 'inference-worker', 'inference-worker', 'gateway', 'gateway'];

type Launch<S> = (app: AppName, bus: Bus, environment: Readonly<Record<string, string>>) => S;

/** Gateways, both services and workers, an HTTP engine, and operators who command by RPC. */
export class ClientRig<S extends TestService = TestService> {
  readonly #processes: S[] = [];
  readonly #holds = new Map<string, Promise<void>>();
  #rpc!: PatientRpc;
  #named = 0;
  gateways: readonly string[] = [];

  private constructor(
    readonly bus: Bus,
    readonly postgres: TestPostgres,
    readonly upstream: ScriptedUpstream,
    private readonly databases: Readonly<Record<string, string>>,
    private readonly launch: Launch<S>,
  ) {
    upstream.answer = (request) => ({ steps: this.#stepsFor(request) });
  }

  /** Everything in this process. @param nodes number of NATS servers */
  static start(apps = ALL_APPS, nodes = 1): Promise<ClientRig> {
    return ClientRig.#start((...service) => new ServiceInProcess(...service), apps, nodes);
  }

  /** Each app as a process of its own, which can be killed. @param nodes number of NATS servers */
  static startProcesses(apps = ALL_APPS, nodes = 1): Promise<ClientRig<ServiceProcess>> {
    return ClientRig.#start((...service) => new ServiceProcess(...service), apps, nodes);
  }

  static async #start<S extends TestService>(launch: Launch<S>, apps: readonly AppName[], nodes: number): Promise<ClientRig<S>> {
    const upstream = await ScriptedUpstream.start(() => ({ steps: [] }));
    const [bus, postgres] = await Promise.all([Bus.start(nodes), startTestPostgres()]);
    const databases = {
      KEYS_DATABASE_URL: await keysDatabase(postgres),
      DEPLOYMENTS_DATABASE_URL: await deploymentsDatabase(postgres),
    };
    const rig = new ClientRig(bus, postgres, upstream, databases, launch);
    try {
      await rig.#begin(apps);
      return rig;
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  /** Where tests put model files of their own; made by who does. */
  get modelFolder(): string {
    return `${this.bus.credentialsDir}/files`;
  }

  /** Starts an app with what it needs, without waiting for it. */
  spawn(app: AppName): S {
    const environment = {
      ...this.databases,
      KEY_PEPPERS: PEPPERS,
      SLIPWAY_SECRET_KEY: PEPPER_SECRET,
      MODEL_DIRS: `${MODELS},${this.modelFolder}`,
      ENGINE_HOSTS: '127.0.0.1',
      PORT: '0',
      QUEUE_WAIT_MS: '1500',
      UNLOAD_GRACE_MS: String(STOP_GRACE_MS),
      SCALE_DOWN_AFTER_MS: '3000',
      MODEL_CACHE_DIR: `${this.bus.credentialsDir}/models`,
    };
    const started = this.launch(app, this.bus, environment);
    this.#processes.push(started);
    return started;
  }

  /** The instance of an app that was started last. */
  process(app: AppName): S {
    const found = this.#processes.findLast((candidate) => candidate.app === app);
    if (!found) throw new Error(`There is no ${app}.`);
    return found;
  }

  /** Commands a service as an operator does: with patience, and again where the service asks for that. */
  command<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return this.#rpc.ask(contract, request);
  }

  /** An account that no other test uses, with a key. */
  async tenant(): Promise<Tenant> {
    const { id: account, slug } = await until('an account is made', () => this.#tryToMakeAccount(), 60_000);
    const key = await this.command(CreateKey, { account, name: 'a key' });
    return { account, slug, key };
  }

  /** Makes a deployment of the HTTP engine, or of what `changes` say. */
  async deployment(account: AccountId, changes: Partial<z.input<typeof CreateDeployment.request>> = {}): Promise<DeploymentId> {
    const source = { kind: 'http' as const, url: this.upstream.url, model: 'scripted' };
    return (await this.command(CreateDeployment, { account, name: 'a model', source, ...changes })).id;
  }

  async alias(account: AccountId, alias: string, deployment: DeploymentId): Promise<void> {
    await this.command(PointAlias, { account, alias, deployment });
  }

  async view(account: AccountId, deployment: DeploymentId): Promise<DeploymentView | undefined> {
    return (await this.command(ListDeployments, { account })).deployments.find(({ id }) => id === deployment);
  }

  /** Waits until the owner sees all of this. */
  whenSeen(account: AccountId, deployment: DeploymentId, wanted: Partial<DeploymentView>): Promise<DeploymentView> {
    const seen = async (): Promise<DeploymentView | null> => {
      const view = await this.view(account, deployment);
      return view && isDeepStrictEqual({ ...view, ...wanted }, view) ? view : null;
    };
    return until(`deployment ${deployment} is ${JSON.stringify(wanted)}`, seen, 60_000);
  }

  /** Waits until a call is answered well by every gateway. */
  async whenServed(call: Omit<Call, 'gateway'>): Promise<void> {
    for (const gateway of this.gateways) await answerOf(`${call.path} answers`, { ...call, gateway }, ({ status }) => status === 200);
  }

  /** A question whose answer stops in its middle until it is released. */
  hold(): Hold {
    const text = this.#name('hold');
    let release: () => void = () => undefined;
    this.#holds.set(text, new Promise((resolve) => (release = resolve)));
    return { text, release: () => release() };
  }

  async end(): Promise<void> {
    await Promise.all(this.#processes.map((running) => running.end()));
    await this.upstream.stop();
    await this.bus.end();
    await this.postgres.stop();
  }

  /** A command that was repeated may find its own work done: then another name is needed, as the answer is lost. */
  #tryToMakeAccount(): Promise<z.output<typeof CreateAccount.reply> | null> {
    return this.command(CreateAccount, { slug: this.#name('tenant') }).catch((error: unknown) => {
      if (!isServiceError(error) || error.code !== 'slug_taken') throw error;
      return null;
    });
  }

  async #begin(apps: readonly AppName[]): Promise<void> {
    this.#rpc = new PatientRpc(new RpcClient(await this.bus.connect('ops'), ENV));
    const started = apps.map((app) => this.spawn(app));
    for (const running of started) await running.ready();
    this.gateways = started.filter(({ app }) => app === 'gateway').map((gateway) => this.addressOf(gateway));
  }

  addressOf(gateway: TestService): string {
    return `http://127.0.0.1:${gateway.port('gateway.listening')}`;
  }

  #stepsFor({ body }: UpstreamRequest): ReturnType<typeof chatChunk>[] {
    const { messages } = body as { messages: { content: string }[] };
    const held = this.#holds.get(messages.at(-1)?.content ?? '');
    const middle = held ? [{ until: held }, chatChunk({ content: ' second' })] : [];
    return [
      chatChunk({ role: 'assistant', content: '' }),
      chatChunk({ content: 'first' }),
      ...middle,
      chatChunk({}, 'stop'),
      usageChunk(3, 2),
      sseEvent('[DONE]'),
    ];
  }

  #name(prefix: string): string {
    return `${prefix}-${(this.#named += 1)}`;
  }
}
