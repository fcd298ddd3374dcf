import { ServiceError } from '@slipway/contracts';
import { decideBy, type Verdict } from '@slipway/platform';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import type { Caller } from './caller.js';
import { readCredential } from './credential.js';
import type { KeyVerifier } from './key-verifier.service.js';

/** Made once, as it costs more than the rest of a refusal. */
const MISSING_KEY = new ServiceError(
  'missing_api_key',
  'No API key was sent. Send a deployment key (svc_dep_…) as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
);

/** The one header that the strategy reads. `readCredential` fills it, whichever header the client chose. */
interface PreparedRequest {
  readonly headers: { readonly 'x-api-key': string };
}

/** Finds out who calls: reads the key from the headers and has it checked by a passport strategy, within the same call. */
export class Authenticator {
  readonly #decide: (request: PreparedRequest) => Verdict<Caller>;

  constructor(keys: Pick<KeyVerifier, 'verify' | 'invalidKey'>) {
    const strategy = new HeaderAPIKeyStrategy({ header: 'X-API-Key', prefix: '' }, false, (key, verified) => {
      const verdict = keys.verify(key);
      if (verdict instanceof ServiceError) verified(null, undefined, verdict);
      else verified(null, verdict);
    });
    // KeyVerifier answers within the call, and so does the strategy.
    this.#decide = decideBy<Caller>(strategy, keys.invalidKey()) as (request: PreparedRequest) => Verdict<Caller>;
  }

  /**
   * @param rawHeaders names and values in turn, as they were received
   * @returns who calls, or the refusal: `missing_api_key` where no key was sent, else what `KeyVerifier.verify` says of it
   * @throws ServiceError what `readCredential` throws
   */
  authenticate(rawHeaders: readonly string[]): Verdict<Caller> {
    const key = readCredential(rawHeaders);
    return key === null ? MISSING_KEY : this.#decide({ headers: { 'x-api-key': key } });
  }
}
