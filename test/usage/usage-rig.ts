import {
  type AccountId,
  CreateAccount,
  CreateDeployment,
  CreateKey,
  type DeploymentId,
  type KeyId,
  type Limits,
  PointAlias,
  QueryUsage,
  type RpcContract,
  SetKeyLimits,
  type UsageGroup,
  type UsageRow,
  UsageStream,
} from '@slipway/contracts';
import { ensureWorkStream, RpcClient } from '@slipway/platform';
import {
  chatChunk,
  ScriptedUpstream,
  sseEvent,
  startOwnPostgres,
  startTestPostgres,
  type TestPostgres,
  type UpstreamRequest,
  usageChunk,
} from '@slipway/testing';
import { Client, type QueryResultRow } from 'pg';
import type { z } from 'zod';
import { until } from '../testing/until.js';
import { Bus, ENV } from '../services/bus.js';
import { deploymentsDatabase, keysDatabase } from '../services/migrated.js';
import { PatientRpc } from '../services/patient-rpc.js';
import { ServiceInProcess } from '../services/service-in-process.js';
import { PEPPER_SECRET, ServiceProcess } from '../services/service-process.js';
import type { AppName, TestService } from '../services/test-service.js';

/** Prompt tokens of every complete answer. */
export const PROMPT_TOKENS = 7;
/** How long keys-service waits for a gateway's record before it counts a worker's, in milliseconds. */
const ORPHAN_WAIT_MS = 2_000;

/** The engine's answer, which the text of the last message decides. */
export interface Script {
  readonly tokens: number;
  readonly end: 'complete' | 'fail' | 'hold';
}

const textOf = ({ tokens, end }: Script): string => `${end} ${tokens}`;

/** A tenant with one key and one deployment of the scripted engine. */
export interface Tenant {
  readonly account: AccountId;
  readonly slug: string;
  readonly key: { readonly id: KeyId; readonly value: string };
  readonly deployment: DeploymentId;
}

type Launch<S> = (app: AppName, bus: Bus, environment: Readonly<Record<string, string>>) => S;

interface Start<S> {
  readonly launch: Launch<S>;
  readonly provide: () => Promise<TestPostgres>;
  readonly gateways: number;
  readonly extra: Readonly<Record<string, string>>;
}

/** All services, with an HTTP engine whose token counts are known. */
export class UsageRig<S extends TestService = TestService> {
  readonly #processes: S[] = [];
  readonly #extra: ServiceProcess[] = [];
  #rpc!: PatientRpc;
  #named = 0;

  private constructor(
    readonly bus: Bus,
    readonly postgres: TestPostgres,
    readonly upstream: ScriptedUpstream,
    readonly database: string,
    readonly environment: Readonly<Record<string, string>>,
    private readonly launch: Launch<S>,
  ) {
    upstream.answer = (request) => ({ steps: stepsFor(request) });
  }

  /** Starts everything in this process. @param extra further settings of all services */
  static start(gateways: number, extra: Readonly<Record<string, string>> = {}): Promise<UsageRig> {
    return UsageRig.#start({ launch: (...service) => new ServiceInProcess(...service), provide: startTestPostgres, gateways, extra });
  }

  /** Starts each app in its own process, with its own PostgreSQL; all can be killed. */
  static startProcesses(gateways: number, extra: Readonly<Record<string, string>> = {}): Promise<UsageRig<ServiceProcess>> {
    return UsageRig.#start({ launch: (...service) => new ServiceProcess(...service), provide: startOwnPostgres, gateways, extra });
  }

  static async #start<S extends TestService>({ launch, provide, gateways, extra }: Start<S>): Promise<UsageRig<S>> {
    const upstream = await ScriptedUpstream.start(() => ({ steps: [] }));
    const [bus, postgres] = await Promise.all([Bus.start(), provide()]);
    const database = await keysDatabase(postgres);
    const environment = {
      KEYS_DATABASE_URL: database,
      DEPLOYMENTS_DATABASE_URL: await deploymentsDatabase(postgres),
      KEY_PEPPERS: `p1:${PEPPER_SECRET}`,
      SLIPWAY_SECRET_KEY: PEPPER_SECRET,
      ENGINE_HOSTS: '127.0.0.1',
      PORT: '0',
      USAGE_ORPHAN_WAIT_MS: String(ORPHAN_WAIT_MS),
      ...extra,
    };
    const rig = new UsageRig(bus, postgres, upstream, database, environment, launch);
    try {
      // Test servers lose the last commits in a crash, for speed; here none may be lost.
      await rig.sql(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = on', current_database()); END $$`);
      await ensureWorkStream(UsageStream, { nats: await bus.connect('boot'), env: ENV, timeoutMs: 20_000 });
      rig.#rpc = new PatientRpc(new RpcClient(await bus.connect('ops'), ENV));
      const apps: AppName[] = [
        'keys-service',
        'deployments-service',
        'inference-worker',
        ...Array.from({ length: gateways }, () => 'gateway' as const),
      ];
      const started = apps.map((app) => rig.spawn(app));
      for (const running of started) await running.ready();
      return rig;
    } catch (error) {
      await rig.end();
      throw error;
    }
  }

  /** Starts an app, without waiting until it serves. */
  spawn(app: AppName): S {
    const started = this.launch(app, this.bus, this.environment);
    this.#processes.push(started);
    return started;
  }

  /** Starts an app in its own process, without waiting until it serves. The rig stops it, and does not list it in `all`. */
  spawnProcess(app: AppName): ServiceProcess {
    const started = new ServiceProcess(app, this.bus, this.environment);
    this.#extra.push(started);
    return started;
  }

  /** Every app that was not replaced. */
  get all(): readonly S[] {
    return this.#processes;
  }

  /** The instances of an app, oldest first. */
  processes(app: AppName): S[] {
    return this.#processes.filter((candidate) => candidate.app === app);
  }

  /** Starts an app in place of a process that ended. */
  restart(ended: S): S {
    this.#processes.splice(this.#processes.indexOf(ended), 1);
    return this.spawn(ended.app);
  }

  /** Sets the limits of a tenant's key. */
  limit(tenant: Tenant, limits: z.input<typeof Limits>): Promise<unknown> {
    return this.command(SetKeyLimits, { account: tenant.account, key: tenant.key.id, limits });
  }

  /** Addresses of the gateways. */
  get gateways(): string[] {
    return this.processes('gateway').map((gateway) => this.addressOf(gateway));
  }

  addressOf(gateway: TestService): string {
    return `http://127.0.0.1:${gateway.port('gateway.listening')}`;
  }

  /** Calls as an operator, with retries. */
  command<C extends RpcContract>(contract: C, request: z.input<C['request']>): Promise<z.output<C['reply']>> {
    return this.#rpc.ask(contract, request);
  }

  /** A new account with a key, a deployment and its alias `demo`, which every gateway serves. */
  async tenant(): Promise<Tenant> {
    const { id: account, slug } = await this.command(CreateAccount, { slug: `tenant-${(this.#named += 1)}` });
    const key = await this.command(CreateKey, { account, name: 'a key' });
    const source = { kind: 'http' as const, url: this.upstream.url, model: 'scripted' };
    const { id: deployment } = await this.command(CreateDeployment, { account, name: 'a model', source });
    await this.command(PointAlias, { account, alias: 'demo', deployment });
    const tenant = { account, slug, key, deployment };
    for (const gateway of this.processes('gateway')) await this.whenServed(tenant, gateway);
    return tenant;
  }

  /** Counts one completed request: a request before the gateway knows the alias would be counted as refused. */
  async whenServed(tenant: Tenant, gateway: TestService): Promise<void> {
    const models = `${this.addressOf(gateway)}/${tenant.slug}/demo/v1/models`;
    const isKnown = async (): Promise<boolean> => (await fetch(models, { headers: { 'x-api-key': tenant.key.value } })).ok;
    await until('the gateway knows the alias', isKnown, 60_000);
    await until(
      'the gateway serves',
      async () => {
        const { status, body } = await send(
          this.addressOf(gateway),
          tenant,
          { tokens: 0, end: 'complete' },
          { api: 'chat', stream: false },
        );
        await body?.cancel();
        return status === 200;
      },
      60_000,
    );
  }

  async usage(tenant: Tenant, groups: UsageGroup[] = []): Promise<UsageRow[]> {
    const now = Date.now();
    const range = { from: new Date(now - 3_600_000).toISOString(), to: new Date(now + 3_600_000).toISOString() };
    return (await this.command(QueryUsage, { account: tenant.account, ...range, step: 'total', group_by: groups })).rows;
  }

  /** Queries a database directly, by default the ledger's. */
  async sql<T extends QueryResultRow>(statement: string, parameters: unknown[] = [], connectionString = this.database): Promise<T[]> {
    const client = new Client({ connectionString });
    await client.connect();
    try {
      return (await client.query<T>(statement, parameters)).rows;
    } finally {
      await client.end();
    }
  }

  /** Kills the PostgreSQL process of a connection of keys-service: the server then ends all others and recovers. */
  async crashPostgres(): Promise<void> {
    const others = `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`;
    // The server may still be recovering from the crash.
    const find = async (): Promise<{ pid: number } | undefined> => (await this.sql<{ pid: number }>(others).catch(() => []))[0];
    const backend = await until('a connection uses the database', find, 60_000);
    process.kill(backend.pid, 'SIGKILL');
    await until('PostgreSQL is back', () => this.sql('SELECT 1').catch(() => null), 60_000);
  }

  async end(): Promise<void> {
    await Promise.all([...this.#processes, ...this.#extra].map((running) => running.end()));
    await this.upstream.stop();
    await this.bus.end();
    await this.postgres.stop();
  }
}

function scriptOf({ body }: UpstreamRequest): Script {
  const { messages } = body as { messages: { content: string | { text: string }[] }[] };
  const content = messages.at(-1)?.content ?? '';
  const text = typeof content === 'string' ? content : (content[0]?.text ?? '');
  const [end = '', tokens = '0'] = text.split(' ');
  return { end: end as Script['end'], tokens: Number(tokens) };
}

const failure = sseEvent({ error: { message: 'The engine broke.', type: 'server_error', code: 500 } });

function stepsFor(request: UpstreamRequest): ReturnType<typeof chatChunk>[] {
  if (request.path.endsWith('/models')) return [];
  const { tokens, end } = scriptOf(request);
  const begun = [
    chatChunk({ role: 'assistant', content: '' }),
    ...Array.from({ length: tokens }, (_, i) => chatChunk({ content: `t${i} ` })),
  ];
  if (end === 'hold') return [...begun, { hang: true }];
  if (end === 'fail') return [...begun, failure];
  return [...begun, chatChunk({}, 'stop'), usageChunk(PROMPT_TOKENS, tokens), sseEvent('[DONE]')];
}

export interface Shape {
  readonly api: 'chat' | 'messages';
  readonly stream: boolean;
}

/** How to send a request. */
interface Wish extends Shape {
  readonly signal?: AbortSignal;
  readonly maxTokens?: number;
}

/** Sends a request to a gateway; its answer may still be streaming. */
export function send(gateway: string, tenant: Tenant, script: Script, { api, stream, signal, maxTokens = 1_000 }: Wish): Promise<Response> {
  return fetch(`${gateway}/${tenant.slug}/demo/v1/${api === 'chat' ? 'chat/completions' : 'messages'}`, {
    method: 'POST',
    signal: signal ?? null,
    headers: { 'x-api-key': tenant.key.value, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', stream, max_tokens: maxTokens, messages: [{ role: 'user', content: textOf(script) }] }),
  });
}

/** Sends a streamed request and waits until its client has `script.tokens` tokens; `leave` closes the connection then. */
export async function open(
  gateway: string,
  tenant: Tenant,
  script: Script,
  api: Shape['api'],
): Promise<{ readonly leave: () => void; readonly rest: Promise<string> }> {
  const leaving = new AbortController();
  const response = await send(gateway, tenant, script, { api, stream: true, signal: leaving.signal });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  let text = '';
  while (!text.includes(`t${script.tokens - 1} `)) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The stream ended early: ${text}`);
    text += value;
  }
  const rest = (async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += value;
    }
  })().catch(() => text);
  return { leave: () => leaving.abort(), rest };
}
