import type { Logger } from '@slipway/platform';
import type { OwnOrigin } from './own-origin.js';

/** What the HTTP door is told. */
export class HttpSettings {
  constructor(
    readonly own: OwnOrigin,
    readonly log: Logger,
    /** Proxies in front that add to X-Forwarded-For. */
    readonly proxies: number,
    /** Why the console should get no requests, or null. */
    readonly notReady: () => string | null,
    /** Whom strangers tell of faults that concern security; undefined = nobody is named. */
    readonly securityContact: string | undefined,
  ) {}
}
