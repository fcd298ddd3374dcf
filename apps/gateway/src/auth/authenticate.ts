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
 * Who calls, by the key that a request presents.
 * @param rawHeaders names and values in turn, as they were received.
 * @throws ServiceError `missing_api_key` where none is presented, and what `readCredential` and `KeyVerifier.verify` throw.
 */
export function authenticate(rawHeaders: readonly string[], keys: Pick<KeyVerifier, 'verify'>): Caller {
  const key = readCredential(rawHeaders);
  if (key === null) throw MISSING_KEY;
  return keys.verify(key);
}
