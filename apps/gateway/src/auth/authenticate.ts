import { ServiceError } from '@slipway/contracts';
import type { Caller } from './caller.js';
import { readCredential } from './credential.js';
import type { KeyVerifier } from './key-verifier.service.js';

/** Made once, as it costs more than the rest of a refusal. */
const MISSING_KEY = new ServiceError(
  'missing_api_key',
  'No API key was sent. Send a deployment key (svc_dep_…) as "Authorization: Bearer <key>" or "X-API-Key: <key>".',
);

/**
 * Who calls, by the key that a request presents, or the refusal: `missing_api_key` where none is presented, and what
 * `KeyVerifier.verify` says of it.
 * @param rawHeaders names and values in turn, as they were received.
 * @throws ServiceError what `readCredential` throws
 */
export function authenticate(rawHeaders: readonly string[], keys: Pick<KeyVerifier, 'verify'>): Caller | ServiceError {
  const key = readCredential(rawHeaders);
  return key === null ? MISSING_KEY : keys.verify(key);
}
