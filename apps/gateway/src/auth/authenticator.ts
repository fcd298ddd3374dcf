import { ServiceError } from '@slipway/contracts';
import { decideBy, type Verdict } from '@slipway/platform';
import { HeaderAPIKeyStrategy } from 'passport-headerapikey';
import type { Caller, KeyVerifier } from './key-verifier.service.js';

const BEARER = /^bearer(?: +(.*))?$/i;

const ambiguous = (): ServiceError =>
  new ServiceError(
    'ambiguous_credentials',
    'The X-API-Key and Authorization headers hold different credentials. Send one key, in one of the two headers.',
  );

function headerValue(rawHeaders: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    // Comparing lengths first skips most names.
    if (rawHeaders[i]?.length !== name.length || rawHeaders[i]?.toLowerCase() !== name) continue;
    if (value !== undefined) throw ambiguousDuplicate(name);
    value = rawHeaders[i + 1] ?? '';
  }
  return value;
}

function ambiguousDuplicate(name: string): ServiceError {
  const header = name === 'authorization' ? 'Authorization' : 'X-API-Key';
  return new ServiceError('ambiguous_credentials', `The ${header} header appears more than once. Send one key, in one header.`);
}

/**
 * Reads the key from `Authorization` or `X-API-Key`.
 * @param rawHeaders alternating names and values as received; parsed headers hide duplicates.
 * @returns the key as sent, empty where the header holds none; null when the request has neither header.
 * @throws ServiceError `ambiguous_credentials` for two different keys or a repeated header.
 */
export function readCredential(rawHeaders: readonly string[]): string | null {
  const apiKey = headerValue(rawHeaders, 'x-api-key');
  const authorization = headerValue(rawHeaders, 'authorization');
  if (authorization === undefined) return apiKey ?? null;
  const bearer = BEARER.exec(authorization);
  const token = bearer ? (bearer[1] ?? '') : null;
  // The text of another scheme must not be read as a key.
  if (apiKey === undefined) return token ?? '';
  // SDKs without a configured key send an empty bearer beside the real X-API-Key.
  if (token === apiKey || token === '') return apiKey;
  throw ambiguous();
}

/** Created once: capturing its stack costs more than the rest of the check. */
const MISSING_KEY = new ServiceError(
  'missing_api_key',
  'No API key was sent. Send a deployment key (svc_dep_…) as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
);

/** The header that the passport strategy reads. `readCredential` fills it from either header. */
interface PreparedRequest {
  readonly headers: { readonly 'x-api-key': string };
}

/** Authenticates requests synchronously: reads the key and checks it through a passport strategy. */
export class Authenticator {
  readonly #decide: (request: PreparedRequest) => Verdict<Caller>;

  constructor(keys: Pick<KeyVerifier, 'verify' | 'invalidKey'>) {
    const strategy = new HeaderAPIKeyStrategy({ header: 'X-API-Key', prefix: '' }, false, (key, verified) => {
      const verdict = keys.verify(key);
      if (verdict instanceof ServiceError) verified(null, undefined, verdict);
      else verified(null, verdict);
    });
    // KeyVerifier is synchronous, so the strategy is too.
    this.#decide = decideBy<Caller>(strategy, keys.invalidKey()) as (request: PreparedRequest) => Verdict<Caller>;
  }

  /**
   * @param rawHeaders alternating names and values, as received
   * @returns the caller or the error: `missing_api_key` without a key, else that of `KeyVerifier.verify`
   * @throws ServiceError as `readCredential` does
   */
  authenticate(rawHeaders: readonly string[]): Verdict<Caller> {
    const key = readCredential(rawHeaders);
    return key === null ? MISSING_KEY : this.#decide({ headers: { 'x-api-key': key } });
  }
}
