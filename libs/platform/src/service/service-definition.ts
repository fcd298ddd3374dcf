import type { Abstract, DynamicModule, INestApplication, InjectionToken, Provider, Type } from '@nestjs/common';
import type { AbstractHttpAdapter } from '@nestjs/core';
import type { LogLevel, Role } from '@slipway/contracts';
import type { z } from 'zod';
import type { Logger } from '../log/logger.js';
import type { NatsOptions } from '../nats/connect.js';
import type { Admission, RefusalListener } from '../rpc/rpc-responder.js';

/** The settings that every service has: those of `serviceFragment` and `natsFragment`. */
export interface ServiceConfig {
  readonly SLIPWAY_ENV: string;
  readonly LOG_LEVEL: LogLevel;
  readonly OPS_HOST: string;
  readonly OPS_PORT: number;
  readonly DRAIN_MS: number;
  readonly NATS_URL: string;
  readonly NATS_CREDENTIALS_DIR?: string | undefined;
  readonly NATS_CA?: string | undefined;
  readonly NATS_CERT?: string | undefined;
  readonly NATS_KEY?: string | undefined;
}

/** A configuration schema of a service: a zod object that spreads `serviceFragment` and `natsFragment`. */
export type ServiceSchema = z.ZodObject & z.ZodType<ServiceConfig>;

/** The migrations of a database, apart from a start. */
export interface MigrationSteps {
  /** Names of those that are missing, in their order. */
  pending(): Promise<string[]>;
  apply(): Promise<void>;
}

/** An archive to restore a database from. */
export interface RestoreOrder {
  /** Its path. */
  readonly archive: string;
  /** Whether a database that holds something is emptied before. */
  readonly replace: boolean;
}

/** A restore that is loaded, and not real yet. */
export interface PreparedRestore {
  /** What was loaded, for whoever ordered it. */
  readonly facts: object;
  commit(): Promise<void>;
  rollback(): Promise<void>;
}

/**
 * Something with an orderly start and stop: a database, a feed, a background loop. The skeleton gets the instance from Nest's
 * container, so it is made by constructor injection like any other provider.
 */
export interface Resource<T = unknown> {
  /** Names it in `lifecycle.start_failed` and `lifecycle.stop_failed`. */
  readonly name: string;
  readonly token: InjectionToken<T>;
  /** Providers that come with it. They are global, and may inject what the skeleton provides and what other resources bring. */
  readonly providers?: readonly Provider[];
  /** Its migrations, for a process that runs them alone. @throws ConfigError without an address */
  migrations?(environment: Readonly<Record<string, string | undefined>>, log: Logger): MigrationSteps;
  /** Loads an archive into it, for a process that does only that. @throws ConfigError without an address; an error that says why not */
  restore?(environment: Readonly<Record<string, string | undefined>>, log: Logger, order: RestoreOrder): Promise<PreparedRestore>;
  /** Checks its settings and the files that they name, and opens nothing. @throws ConfigError naming what is wrong */
  check?(config: ServiceConfig): Promise<void> | void;
  start?(instance: T): Promise<void> | void;
  /** @param deadlineMs milliseconds left for this and for everything that stops after it */
  stop?(instance: T, deadlineMs: number): Promise<void> | void;
  /** Why the service should get no requests, in a few words for /readyz; null = nothing is missing. */
  notReady?(instance: T): string | null;
}

/** A provider that starts and stops by methods of its own. */
export interface Startable {
  start?(): Promise<void> | void;
  stop?(deadlineMs: number): Promise<void> | void;
  notReady?(): string | null;
}

/** A resource out of a provider of some module that has the methods of `Startable`. */
export const resource = <T extends Startable>(token: Type<T> | Abstract<T>): Resource<T> => ({
  name: token.name,
  token,
  start: (instance) => instance.start?.(),
  stop: (instance, deadlineMs) => instance.stop?.(deadlineMs),
  notReady: (instance) => instance.notReady?.() ?? null,
});

/** Decides which RPC calls are let in. */
export interface CallGate {
  readonly admit: Admission;
  /** Called for each call that a handler refused. */
  readonly refused?: RefusalListener;
}

/** How a service answers the `@RpcHandler`s of its module. */
export interface RpcDoor {
  /** A provider of the module. Absent: a start fails if a contract wants a proof. */
  readonly gate?: InjectionToken<CallGate>;
}

/** How a service answers HTTP. One door belongs to one started service. */
export interface HttpDoor {
  readonly host: string;
  /** 0 = any free port. */
  readonly port: number;
  /** Nest's HTTP adapter. It is made before the container, so what it needs of that comes in `install`. */
  readonly adapter: AbstractHttpAdapter;
  /** Installs hooks, parsers and filters before the service listens. */
  install(app: INestApplication): void;
  /** Lets requests that run end, within the time. Afterwards connections that are left are closed by force. */
  drain?(app: INestApplication, deadlineMs: number): Promise<void>;
}

/** As whom a service connects to NATS. */
export type NatsLogin = Pick<NatsOptions, 'role' | 'credentialsDir' | 'identity'>;

/** Everything that a service is, apart from its configuration; see `defineService`. */
export interface ServiceDefinition<S extends ServiceSchema> {
  /** Name in the log, the metrics and the NATS server's monitoring. */
  readonly name: string;
  readonly config: S;
  /** Role of its NATS user. A function logs in by other means than the credentials folder. */
  readonly role: Role | ((config: z.output<S>, log: Logger) => Promise<NatsLogin>);
  /** The root module. It injects `CONFIG`, `LOG`, `NATS`, `RpcClient`, `Registry` and `Readiness` without importing anything. */
  readonly module: Type | DynamicModule;
  /** Provided to all modules, besides what the resources bring. */
  readonly providers?: readonly Provider[];
  /** Started in this order once NATS is connected, stopped in reverse after the door has closed. */
  readonly resources?: readonly Resource[];
  /** More connections to NATS as the same user, by the suffix of their names. */
  readonly connections?: Readonly<Record<string, InjectionToken>>;
  /** Opened last and closed first. A service has one of the two, or none. */
  readonly rpc?: RpcDoor;
  readonly http?: (config: z.output<S>) => HttpDoor;
}

/**
 * Describes a service. Nothing runs until `runService` makes it a process, or `startService` starts it inside a test.
 *
 *     export const keysService = defineService({
 *       name: 'keys-service',
 *       role: 'keys',
 *       config: KeysConfig,
 *       module: KeysModule,
 *       resources: [database(keysDatabase), feedPublisher({ contract: KeyFeed, stores: Database, source: KeyFeedSource })],
 *       rpc: { gate: RpcGate },
 *     });
 */
export const defineService = <S extends ServiceSchema>(definition: ServiceDefinition<S>): ServiceDefinition<S> => definition;
