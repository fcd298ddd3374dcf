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
