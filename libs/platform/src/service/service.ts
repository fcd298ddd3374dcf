import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  Catch,
  type DynamicModule,
  Global,
  type INestApplication,
  type INestApplicationContext,
  type INestMicroservice,
  type InjectionToken,
  Module,
  type Provider,
  type RpcExceptionFilter,
} from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { AsyncMicroserviceOptions } from '@nestjs/microservices';
import { Incarnation } from '@slipway/contracts';
import { nuid } from '@nats-io/transport-node';
import { Registry } from 'prom-client';
import { type Observable, throwError } from 'rxjs';
import type { z } from 'zod';
import { shownSettings } from '../config/shown-settings.js';
import { LogThreshold } from '../log/log-threshold.js';
import type { Logger } from '../log/logger.js';
import { NestLogger } from '../log/nest-logger.js';
import { createMetrics, rpcTimer } from '../metrics/metrics.js';
import { natsTlsOf } from '../nats/tls/tls-files.js';
import { TlsGuard } from '../nats/tls/tls-guard.js';
import { tlsMetrics } from '../nats/tls/tls-metrics.js';
import { RpcClient } from '../rpc/rpc-client.js';
import { RpcServer } from '../rpc/rpc-server.js';
import { overWithin } from '../time/over-within.js';
import { CONFIG, LOG, NATS, NATS_LOGIN, PROCESS_NAME, Readiness } from './injected.js';
import { Lifecycle, type Part } from './lifecycle.js';
import { NatsLink } from './nats-link.js';
import { OperatorCalls } from './operator-calls.js';
import { OpsServer } from './ops-server.js';
import { OrderedStart } from './ordered-start.js';
import type { CallGate, HttpDoor, NatsLogin, Resource, RpcDoor, ServiceDefinition, ServiceSchema } from './service-definition.js';

/** Passes errors on unchanged to the RPC server; Nest's own filter would lose their codes. */
@Catch()
class RpcErrorFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/** What surrounds a service: a process, or a test. */
export interface Surroundings {
  readonly log: Logger;
  /** The level of `log`. */
  readonly threshold: LogThreshold;
  /** What the configuration was read from. */
  readonly environment: Readonly<Record<string, unknown>>;
  /** Called when a NATS connection is closed for good. Absent: the error is thrown where only the process catches it. */
  readonly fault?: ((error: Error) => void) | undefined;
}

/**
 * One instance of a service. Its parts start in this order and stop in reverse: ops port, connections to NATS, Nest's
 * container, resources, the door. So a request that runs keeps everything that it uses, and /readyz answers from first to last.
 */
export class Service<S extends ServiceSchema> {
  readonly metrics: Registry;
  readonly #definition: ServiceDefinition<S>;
  readonly #config: z.output<S>;
  readonly #surroundings: Surroundings;
  readonly #lifecycle: Lifecycle;
  readonly #ops: OpsServer;
  readonly #resources: readonly Resource[];
  readonly #links = new Map<InjectionToken, NatsLink>();
  readonly #tlsMetrics: ReturnType<typeof tlsMetrics>;
  #login: NatsLogin | undefined;
  #name: Incarnation | undefined;
  #order: OrderedStart | undefined;
  #calls: OperatorCalls | undefined;
  #loginGuard: TlsGuard | undefined;
  #door: HttpDoor | undefined;
  #app: INestApplicationContext | undefined;
  #closing: Promise<void> | undefined;

  /** @throws Error when the HTTP door cannot be made of this configuration */
  constructor(definition: ServiceDefinition<S>, config: z.output<S>, surroundings: Surroundings) {
    const { log } = surroundings;
    const { OPS_HOST: host, OPS_PORT: port } = config;
    this.#definition = definition;
    this.#config = config;
    this.#surroundings = surroundings;
    this.#resources = definition.resources ?? [];
    this.metrics = createMetrics(definition.name);
    this.#tlsMetrics = tlsMetrics(this.metrics);
    this.#lifecycle = new Lifecycle(log, config.DRAIN_MS);
    this.#ops = new OpsServer({ host, port, metrics: this.metrics, notReady: () => this.notReady(), log });
    this.#door = definition.http?.(config);
  }

  /** @throws what a part threw that could not start; those that had started are stopped again. */
  start(): Promise<void> {
    return this.#lifecycle.start(this.#parts());
  }

  /** @param drainMs how long it may take, in milliseconds; the configuration's DRAIN_MS unless given */
  stop(drainMs?: number): Promise<void> {
    return this.#lifecycle.stop(drainMs);
  }

  /** What /readyz says: null when the service is ready. */
  notReady(): string | null {
    const trouble = this.#tlsTrouble();
    const detail = trouble === null ? '' : `: ${trouble}`;
    if (this.#lifecycle.state !== 'ready') return `${this.#lifecycle.state}${detail}`;
    if (this.#links.get(NATS)?.up !== true) return `not connected to NATS${detail}`;
    for (const resource of this.#resources) {
      const missing = resource.notReady?.(this.get(resource.token)) ?? null;
      if (missing !== null) return missing;
    }
    return this.#order?.missing() ?? null;
  }

  #tlsTrouble(): string | null {
    return this.#links.get(NATS)?.trouble ?? this.#loginGuard?.trouble ?? null;
  }

  /** A provider of the service. @throws Error before the container stands, or for a token that it does not have */
  get<T>(token: InjectionToken<T>): T {
    if (!this.#app) throw new Error(`${this.#definition.name} is not started.`);
    return this.#app.get<T>(token, { strict: false });
  }

  /** The port of /livez, /readyz and /metrics. */
  get opsPort(): number {
    return this.#ops.port;
  }

  /** The port of the HTTP door. @throws Error for a service without one, or that does not listen */
  get port(): number {
    const server = this.#door && ((this.#app as INestApplication | undefined)?.getHttpServer() as Server | undefined);
    const address = server?.address();
    if (!address) throw new Error(`${this.#definition.name} does not listen.`);
    return (address as AddressInfo).port;
  }

  #parts(): Part[] {
    const { connections = {} } = this.#definition;
    return [
      { name: 'ops', start: () => this.#ops.start(), stop: () => this.#ops.stop() },
      this.#natsPart(NATS, ''),
      {
        name: 'update order',
        start: () => {
          this.#order = new OrderedStart({ ...this.#onNats(), notReady: () => this.notReady() });
          return this.#order.start();
        },
        stop: () => this.#order?.stop(),
      },
      { name: 'operator calls', start: () => this.#answerOperators(), stop: () => this.#calls?.stop() },
      ...Object.entries(connections).map(([suffix, token]) => this.#natsPart(token, `-${suffix}`)),
      { name: 'application', start: () => this.#createApplication(), stop: (deadlineMs) => this.#close(deadlineMs) },
      ...this.#resources.map((one) => this.#resourcePart(one)),
      ...(this.#door ? [this.#httpPart(this.#door)] : []),
      ...(this.#definition.rpc ? [this.#rpcPart()] : []),
    ];
  }

  /** What its parts of the skeleton need that speak for the process. */
  #onNats(): Pick<ConstructorParameters<typeof OperatorCalls>[0], 'nats' | 'env' | 'wk' | 'log'> {
    this.#name ??= Incarnation.parse(this.#login?.identity?.wk ?? nuid.next());
    return { nats: this.#nats(NATS), env: this.#config.SLIPWAY_ENV, wk: this.#name, log: this.#surroundings.log };
  }

  async #answerOperators(): Promise<void> {
    const { name: service, config } = this.#definition;
    const { threshold, environment } = this.#surroundings;
    const own = this.#onNats();
    this.#calls = new OperatorCalls({ ...own, service, threshold, settings: () => shownSettings(config, environment) });
    // A process that says it is ready answers from then on.
    await own.nats.flush().catch(() => undefined);
  }

  #natsPart(token: InjectionToken, suffix: string): Part {
    return {
      name: `nats${suffix}`,
      start: async () => {
        const { NATS_URL: url } = this.#config;
        const { log, fault } = this.#surroundings;
        this.#login ??= await this.#logIn();
        const name = `${this.#definition.name}${suffix}`;
        const options = { ...this.#login, url, tls: natsTlsOf(this.#config), name, log, ...(fault && { lost: fault }) };
        const link = new NatsLink(options, (trouble, expiries) => this.#tlsMetrics(name, trouble, expiries));
        this.#links.set(token, link);
        await link.open();
      },
      stop: () => this.#links.get(token)?.close(),
    };
  }

  async #logIn(): Promise<NatsLogin> {
    const { role, name } = this.#definition;
    if (typeof role !== 'function') return { role, credentialsDir: this.#config.NATS_CREDENTIALS_DIR };
    const { log } = this.#surroundings;
    // It may wait for NATS on connections of its own.
    const guard = new TlsGuard({
      ...{ url: this.#config.NATS_URL, tls: natsTlsOf(this.#config), name, log },
      isUp: () => false,
      moveOver: () => Promise.resolve(),
      seen: (trouble, expiries) => this.#tlsMetrics(name, trouble, expiries),
    });
    this.#loginGuard = guard;
    guard.start();
    try {
      return await role(this.#config, log);
    } finally {
      guard.stop();
      this.#loginGuard = undefined;
    }
  }

  #resourcePart(resource: Resource): Part {
    const { name, token } = resource;
    return {
      name,
      start: () => resource.start?.(this.get(token)),
      stop: (deadlineMs) => resource.stop?.(this.get(token), deadlineMs),
    };
  }

  #rpcPart(): Part {
    return {
      name: 'rpc',
      start: async () => {
        await (this.#app as INestMicroservice).listen();
      },
      stop: (deadlineMs) => this.#close(deadlineMs),
    };
  }

  #httpPart(door: HttpDoor): Part {
    const app = (): INestApplication => this.#app as INestApplication;
    const { host, port } = door;
    return {
      name: 'http',
      start: async () => {
        await app().listen(port, host);
        this.#surroundings.log.info({ host, port: this.port }, `${this.#definition.name}.listening`);
      },
      stop: async (deadlineMs) => {
        const end = performance.now() + deadlineMs;
        await door.drain?.(app(), deadlineMs);
        const server = app().getHttpServer() as Server;
        const force = setTimeout(() => server.closeAllConnections(), Math.max(0, end - performance.now()));
        await this.#close(deadlineMs);
        clearTimeout(force);
      },
    };
  }

  async #createApplication(): Promise<void> {
    const { module, rpc } = this.#definition;
    const root = { module: Root, imports: [ServiceModule.with(this.#providers()), module] };
    const options = { logger: new NestLogger(this.#surroundings.log), abortOnError: false } as const;
    if (this.#door) {
      const app = await NestFactory.create(root, this.#door.adapter, { ...options, bodyParser: false });
      this.#door.install(app);
      this.#app = app;
    } else if (rpc) {
      const app = await NestFactory.createMicroservice<AsyncMicroserviceOptions>(root, { ...options, ...this.#strategy(rpc) });
      app.useGlobalFilters(new RpcErrorFilter());
      this.#app = app;
    } else {
      this.#app = await NestFactory.createApplicationContext(root, options);
    }
  }

  /** Closes Nest's application once, and waits for it within the time. */
  async #close(deadlineMs: number): Promise<void> {
    this.#closing ??= this.#app?.close();
    await overWithin(deadlineMs, Promise.resolve(this.#closing));
  }

  #strategy({ gate }: RpcDoor): AsyncMicroserviceOptions {
    const { SLIPWAY_ENV: env, DRAIN_MS: drainMs } = this.#config;
    const options = { nats: this.#nats(NATS), env, log: this.#surroundings.log, drainMs };
    return {
      inject: gate === undefined ? [] : [gate],
      useFactory: (rules?: CallGate) => ({
        strategy: new RpcServer({
          ...options,
          answered: rpcTimer(this.metrics),
          ...(rules && { admit: rules.admit, refused: rules.refused }),
        }),
      }),
    };
  }

  #providers(): Provider[] {
    const { connections = {}, providers = [] } = this.#definition;
    const nats = this.#nats(NATS);
    return [
      { provide: CONFIG, useValue: this.#config },
      { provide: LOG, useValue: this.#surroundings.log },
      { provide: NATS, useValue: nats },
      { provide: NATS_LOGIN, useValue: this.#login },
      { provide: PROCESS_NAME, useValue: this.#onNats().wk },
      { provide: LogThreshold, useValue: this.#surroundings.threshold },
      { provide: RpcClient, useValue: new RpcClient(nats, this.#config.SLIPWAY_ENV) },
      { provide: Registry, useValue: this.metrics },
      { provide: Readiness, useValue: new Readiness(() => this.notReady()) },
      ...Object.values(connections).map((token) => ({ provide: token, useValue: this.#nats(token) })),
      ...this.#resources.flatMap((resource) => resource.providers ?? []),
      ...providers,
    ];
  }

  #nats(token: InjectionToken): NatsLink['nats'] {
    const link = this.#links.get(token);
    if (!link) throw new Error('The connection to NATS is not open.');
    return link.nats;
  }
}

/** Imports the skeleton's module and the service's own. */
@Module({})
class Root {}

/** What the skeleton and the resources provide, to all modules of a service. */
@Global()
@Module({})
class ServiceModule {
  static with(providers: readonly Provider[]): DynamicModule {
    return { module: ServiceModule, providers: [...providers], exports: providers.map(tokenOf) };
  }
}

const tokenOf = (provider: Provider): InjectionToken => (typeof provider === 'function' ? provider : provider.provide);
