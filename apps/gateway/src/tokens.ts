/** Injects this gateway's `Incarnation`, which is part of NATS subjects. */
export const GATEWAY_ID = Symbol('gateway id');
/** Injects the second `NatsConnection`, for large request bodies and usage records, so that tokens do not wait behind them. */
export const BULK = Symbol('bulk NATS connection');

/** Injects the `HttpSettings`. */
export const HTTP_SETTINGS = Symbol('HTTP_SETTINGS');

/** Configuration and process state that the HTTP layer needs. */
export interface HttpSettings {
  /** Public base URL, without a path or trailing slash. */
  readonly baseUrl: string;
  /** Largest request body, in bytes. */
  readonly bodyBytesMax: number;
  /** Why the gateway is not ready for traffic, or null. */
  readonly notReady: () => string | null;
  /** `closing` = responses carry `Connection: close`; `refusing` = new inference requests also get an error. */
  readonly shutdown: () => 'no' | 'closing' | 'refusing';
  /** Contact for security reports; absent = none. */
  readonly securityContact?: string | undefined;
}
