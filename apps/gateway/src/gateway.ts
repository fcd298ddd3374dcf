import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import {
  DeploymentFeed,
  type DeploymentFeedRecord,
  type DeploymentId,
  type Incarnation,
  KeyFeed,
  type KeyFeedRecord,
  ServiceError,
} from '@slipway/contracts';
import { FeedReader } from '@slipway/feed';
import { type LifecycleState, type Logger, nuid, type Registry, StreamClaims, ThreadPool } from '@slipway/platform';
import { StreamReceiver } from '@slipway/stream-transport';
import { AppModule } from './app.module.js';
import { trustOf } from './auth/feed-trust.js';
import { KeyIndex } from './auth/key-index.js';
import { GuessLimiter } from './auth/guess-limiter.js';
import { KeyVerifier } from './auth/key-verifier.service.js';
import type { GatewayConfig } from './config.js';
import { DeploymentIndex } from './deployments/deployment-index.js';
import { DeploymentResolver } from './deployments/deployment-resolver.service.js';
import { Connections, RESERVE } from './http/connections.js';
import { Cors } from './http/cors.js';
import { Exchanges } from './http/exchanges.js';
import { createHttpApplication, type HttpApplication } from './http/http-application.js';
import { Uploads } from './http/uploads.js';
import { DOCUMENT_BYTES_MAX } from './inference/document-answer.js';
import { InferenceService } from './inference/inference.service.js';
import { RELAY_TIMES, type RelayTimes } from './inference/relay-times.js';
import type { NatsLinks } from './nats-links.js';
import { GatewayMetrics } from './observability/gateway-metrics.js';
import { LimitBook } from './limits/limit-book.js';
import { LimitExchange } from './limits/limit-exchange.js';
import { MemoryShares } from './memory/memory-shares.js';
import { RequestReader } from './reading/request-reader.js';
import { HeartbeatListener } from './routing/heartbeat-listener.js';
import { Router } from './routing/router.service.js';
import { type Standing, WorkerTable } from './routing/worker-table.js';
import type { SurfaceRegistry } from './surfaces/registry.js';
import { SURFACES } from './surfaces/surfaces.js';
import { UsageReporter } from './usage/usage-reporter.js';

/** Threads that read large bodies, on a machine that has so many cores; two at least, so that no account has all of them. */
const READ_THREADS_MAX = 4;
/** How long a thread may read one body, in milliseconds: a hundred times what the largest takes. */
const READ_MS = 5_000;
/** Part of the memory for bodies, and of that for answers, that one account may hold. */
const SHARE = 1 / 4;
/** Part of its account's share of the memory for bodies that one key may hold. */
const KEY_SHARE = 3 / 4;
const MIB = 1024 * 1024;
/** What is kept of a drain's time for the last error events and the closing of connections, in milliseconds. */
const FAREWELL_MS = 500;
/** Time for the last records of usage to be kept, in milliseconds. */
const LAST_RECORDS_MS = 1_500;
/** During a drain, connections that have fallen idle are closed this often, in milliseconds. */
const IDLE_CHECK_MS = 250;

export interface GatewayOptions {
  readonly config: GatewayConfig;
  readonly log: Logger;
  readonly metrics: Registry;
  readonly links: Pick<NatsLinks, 'nats' | 'bulk' | 'up'>;
  readonly state: () => LifecycleState;
  /** The public contracts that it speaks; the product's own unless a test adds one. */
  readonly surfaces?: SurfaceRegistry;
  /** The compiled thread that reads bodies, where it does not lie beside this file. */
  readonly readThread?: URL;
  /** When relays act; the product's own unless a test has less patience. */
  readonly times?: Partial<RelayTimes>;
  /** How often a running request tells what it has used, in milliseconds; a minute unless a test has less patience. */
  readonly usageEveryMs?: number;
}

/** A gateway from its feeds to its HTTP door: everything but the process around it. */
export class Gateway {
  /** This process start, in subjects. */
  readonly #gw = nuid.next() as Incarnation;
  // What is used of a new budget is asked for before the first request: that one needs not be told to come again.
  readonly #keys = new KeyIndex(() => void this.#limitExchange?.askBudgets());
  readonly #deployments = new DeploymentIndex();
  readonly #table = new WorkerTable(
    () => performance.now(),
    (deployment, agent) => this.#standing(deployment, agent),
  );
  readonly #router: Router;
  readonly #surfaces: SurfaceRegistry;
  readonly #metrics: GatewayMetrics;
  readonly #cors: Cors;
  readonly #threads: ThreadPool;
  readonly #exchanges: Exchanges;
  #keyFeed: FeedReader<KeyFeedRecord> | undefined;
  #deploymentFeed: FeedReader<DeploymentFeedRecord> | undefined;
  #receiver: StreamReceiver | undefined;
  #heartbeats: HeartbeatListener | undefined;
  readonly #limits = new LimitBook({
    now: () => performance.now(),
    date: () => Date.now(),
    urgent: () => this.#limitExchange?.urgent(),
    unknown: () => void this.#limitExchange?.askBudgets(),
  });
  #limitExchange: LimitExchange | undefined;
  #usage: UsageReporter | undefined;
  #inference: InferenceService | undefined;
  #http: HttpApplication | undefined;
  #shutdown: 'no' | 'closing' | 'refusing' = 'no';

  constructor(private readonly options: GatewayOptions) {
    const { config, metrics, surfaces = SURFACES } = options;
    this.#surfaces = surfaces;
    this.#router = new Router({ table: this.#table, queueWaitMs: config.QUEUE_WAIT_MS, now: () => performance.now(), random: Math.random });
    this.#threads = new ThreadPool({
      threadUrl: options.readThread ?? new URL('./reading/read-thread.js', import.meta.url),
      threads: Math.min(READ_THREADS_MAX, Math.max(2, availableParallelism())),
      taskMs: READ_MS,
      log: options.log,
    });
    this.#metrics = new GatewayMetrics(metrics);
    this.#cors = new Cors(config.CORS_ORIGINS);
    this.#exchanges = new Exchanges({
      cors: this.#cors,
      refused: (refusal) => this.#usage?.refused(refusal),
      surfaces: this.#surfaces,
      metrics: this.#metrics,
      log: options.log,
      shutdown: () => this.#shutdown,
    });
    this.#metrics.observe({
      activeStreams: () => this.#inference?.active ?? 0,
      waiting: () => this.#router.waiting,
      workers: () => this.#table.size,
      keys: () => this.#keys.size,
      feedAges: () => ({ key: ageOf(this.#keyFeed), dep: ageOf(this.#deploymentFeed) }),
      transport: () => ({ ...this.#receiver?.counters }),
      usage: () => ({ waiting: this.#usage?.waiting ?? 0, ...this.#usage?.counters }),
    });
  }

  /** The port of the inference API, once it listens. */
  get port(): number {
    const server = this.#http?.servers[0];
    if (!server) throw new Error('The gateway does not listen.');
    return (server.address() as AddressInfo).port;
  }

  /** Why the gateway should get no traffic, or null. */
  notReady(): string | null {
    const { state, links } = this.options;
    if (this.#shutdown !== 'no' || state() !== 'ready') return this.#shutdown === 'no' ? state() : 'draining';
    if (!links.up) return 'not connected to NATS';
    if (!this.#keyFeed?.place) return 'keys are not loaded';
    return this.#deploymentFeed?.place ? null : 'deployments are not loaded';
  }

  /** Begins to follow both feeds. Until they are loaded, requests are refused with 503. */
  follow(): void {
    const { config, links, log } = this.options;
    const common = { nats: links.nats, env: config.SLIPWAY_ENV, reader: this.#gw, log };
    this.#keyFeed = new FeedReader({ ...common, contract: KeyFeed, sink: this.#keys });
    this.#deploymentFeed = new FeedReader({ ...common, contract: DeploymentFeed, sink: this.#deployments });
    this.#keyFeed.start();
    this.#deploymentFeed.start();
  }

  async unfollow(): Promise<void> {
    await Promise.all([this.#keyFeed?.stop(), this.#deploymentFeed?.stop()]);
  }

  /** Makes ready to open streams, and learns which runners there are. */
  connect(): void {
    const { config, links, log } = this.options;
    const { nats, bulk } = links;
    const { SLIPWAY_ENV: env, FIRST_TOKEN_TIMEOUT_MS: firstTokenMs } = config;
    this.#receiver = new StreamReceiver({ nats, bulk, env, gw: this.#gw, log, settings: { firstTokenMs } });
    const claims = new StreamClaims(config.KEY_PEPPERS);
    this.#usage = new UsageReporter({ nats: bulk, env, gw: this.#gw, claims, log, interimMs: this.options.usageEveryMs });
    this.#usage.start();
    this.#limitExchange = new LimitExchange({
      nats,
      env,
      gw: this.#gw,
      log,
      book: this.#limits,
      keys: this.#keys,
      isLoaded: () => (this.#keyFeed?.place ?? null) !== null,
    });
    this.#limitExchange.start();
    this.#heartbeats = new HeartbeatListener({ nats, env, gw: this.#gw, router: this.#router });
    this.#heartbeats.start();
  }

  async disconnect(): Promise<void> {
    this.#limitExchange?.stop();
    this.#heartbeats?.stop();
    await this.#receiver?.stop();
  }

  /** @throws Error when the port is taken. */
  async listen(): Promise<void> {
    const { config, log } = this.options;
    const keys = new KeyVerifier(this.#keys, config.KEY_PEPPERS, () => this.#trust());
    const deployments = new DeploymentResolver(this.#keys, this.#deployments, {
      isReady: (id) => this.#table.isReady(id),
      isCurrent: () => this.#deploymentFeed?.freshness().state === 'fresh',
    });
    const times = { ...RELAY_TIMES, engineSilenceMs: config.ENGINE_SILENCE_MS, ...this.options.times };
    const receiver = this.#receiver;
    const usage = this.#usage;
    if (!receiver || !usage) throw new Error('The gateway listens after it is connected.');
    this.#inference = new InferenceService({
      receiver,
      router: this.#router,
      keys,
      metrics: this.#metrics,
      usage,
      answers: new MemoryShares({
        bytes: config.ANSWERS_BYTES_MAX,
        shareBytes: Math.max(DOCUMENT_BYTES_MAX + MIB, Math.floor(config.ANSWERS_BYTES_MAX * SHARE)),
      }),
      reader: new RequestReader(this.#threads, { imageHosts: config.IMAGE_HOSTS }),
      times,
    });
    const settings = {
      baseUrl:
        config.PUBLIC_BASE_URL?.replace(/\/+$/, '') ?? `http://${config.HOST === '0.0.0.0' ? '127.0.0.1' : config.HOST}:${config.PORT}`,
      bodyBytesMax: config.BODY_BYTES_MAX,
      notReady: () => this.notReady(),
      shutdown: () => this.#shutdown,
      securityContact: config.SECURITY_CONTACT,
    };
    const guesses = new GuessLimiter(config.INVALID_KEYS_PER_S, () => performance.now());
    const door = { surfaces: this.#surfaces, limits: this.#limits, uploads: uploadsOf(config), exchanges: this.#exchanges };
    const { CONNECTIONS_MAX: most, CONNECTIONS_PER_ADDRESS_MAX: perAddress, CONNECTIONS_PER_ACCOUNT_MAX: perAccount } = config;
    const connections = new Connections({ most, perAddress, perAccount, log });
    const parts = { ...door, cors: this.#cors, keys, deployments, guesses, connections, settings };
    this.#http = await createHttpApplication(AppModule.with({ ...parts, inference: this.#inference }), connections, log);
    for (const server of this.#http.servers) server.maxConnections = most + RESERVE;
    await this.#http.app.listen({ port: config.PORT, host: config.HOST });
    log.info({ host: config.HOST, port: this.port }, 'gateway.listening');
  }

  /**
   * Closes the HTTP door: /readyz turns 503 first, what was begun goes on, also a request whose body is still on its way,
   * and what is not over at the deadline gets an error. Nothing is cut in silence.
   */
  async drain(deadlineMs: number): Promise<void> {
    const end = performance.now() + deadlineMs;
    this.#shutdown = 'closing';
    this.#exchanges.closeConnections();
    const grace = Math.min(this.options.config.SHUTDOWN_GRACE_MS, deadlineMs / 2);
    if (grace > 0) await new Promise((resolve) => setTimeout(resolve, grace));
    this.#shutdown = 'refusing';
    const { app, servers } = this.#http ?? { app: undefined, servers: [] };
    const closeIdle = (): void => {
      for (const server of servers) server.closeIdleConnections();
    };
    closeIdle();
    const idleCheck = setInterval(closeIdle, IDLE_CHECK_MS);
    await this.#exchanges.whenNone(end - performance.now() - FAREWELL_MS);
    const error = new ServiceError('server_shutting_down', 'This gateway is shutting down; send the request again.', { retryAfterS: 1 });
    this.#inference?.stopAll(error);
    this.#exchanges.refuseUnanswered(error);
    await this.#exchanges.whenNone(FAREWELL_MS);
    clearInterval(idleCheck);
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
    await app?.close();
    await Promise.all([this.#threads.close(), this.#usage?.stop(LAST_RECORDS_MS)]);
  }

  /** Without a fresh feed nobody can be told from a worker that replaced one: then every runner of the deployment counts. */
  #standing(deployment: DeploymentId, agent: string): Standing {
    const agents = this.#deployments.deployment(deployment)?.agents;
    if (agents?.some((named) => named === agent)) return 'named';
    return agents === undefined || this.#deploymentFeed?.freshness().state !== 'fresh' ? 'unknown' : 'foreign';
  }

  #trust(): ReturnType<typeof trustOf> {
    return this.#keyFeed ? trustOf(this.#keyFeed.freshness(), this.options.config.KEYS_ABSENT_GRACE_MS) : 'cut_off';
  }
}

/** Bodies share memory; the share of an account, and of a key, holds one body at least. */
function uploadsOf(config: GatewayConfig): Uploads {
  const shareOf = (share: number): number => Math.max(config.BODY_BYTES_MAX, Math.floor(config.BODIES_BYTES_MAX * share));
  return new Uploads({
    memory: new MemoryShares({ bytes: config.BODIES_BYTES_MAX, shareBytes: shareOf(SHARE), keyBytes: shareOf(SHARE * KEY_SHARE) }),
    perAccount: config.UPLOADS_PER_ACCOUNT_MAX,
    bytesPerS: config.BODY_BYTES_PER_S_MIN,
    now: () => performance.now(),
  });
}

const ageOf = (feed: FeedReader<never> | FeedReader<KeyFeedRecord> | FeedReader<DeploymentFeedRecord> | undefined): number =>
  feed?.freshness().ageMs ?? Number.POSITIVE_INFINITY;
