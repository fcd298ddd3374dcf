import type { FactoryProvider, InjectionToken } from '@nestjs/common';

/** Injects the service's checked configuration: `@Inject(CONFIG) config: KeysConfig`. */
export const CONFIG = Symbol('configuration');
/** Injects the service's `Logger`. */
export const LOG = Symbol('log');
/** Injects the service's `NatsConnection`. */
export const NATS = Symbol('NATS connection');
/** Injects the `NatsLogin` that the service connected with. */
export const NATS_LOGIN = Symbol('NATS login');

/**
 * Injects the service's own name among all processes, its incarnation, as operators and other processes see it: that of its NATS
 * user, or one made at the start.
 */
export const PROCESS_NAME = Symbol('process name');

/** What keeps a service from being ready, as /readyz says it. */
export class Readiness {
  readonly #missing: () => string | null;

  constructor(missing: () => string | null) {
    this.#missing = missing;
  }

  /** Null when the service is ready. */
  notReady(): string | null {
    return this.#missing();
  }
}

/** A provider that is made of the configuration alone. */
export const configured = <C, T>(provide: InjectionToken<T>, make: (config: C) => T | Promise<T>): FactoryProvider<T> => ({
  provide,
  useFactory: make,
  inject: [CONFIG],
});
