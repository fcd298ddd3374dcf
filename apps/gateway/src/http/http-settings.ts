/** What the HTTP door must know of the configuration and of the process's state. */
export const HTTP_SETTINGS = Symbol('HTTP_SETTINGS');

export interface HttpSettings {
  /** What clients are told to use, without a path and without a slash at the end. */
  readonly baseUrl: string;
  /** Largest request body, in bytes. */
  readonly bodyBytesMax: number;
  /** Why the gateway should get no traffic, or null. */
  readonly notReady: () => string | null;
  /** `closing` = answer with `Connection: close`; `refusing` = take no new inference request either. */
  readonly shutdown: () => 'no' | 'closing' | 'refusing';
  /** Whom strangers tell of faults that concern security; absent = nobody is named. */
  readonly securityContact?: string | undefined;
}
