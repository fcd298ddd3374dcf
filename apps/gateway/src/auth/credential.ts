import { ServiceError } from '@slipway/contracts';

const BEARER = /^bearer(?: +(.*))?$/i;

const ambiguous = (): ServiceError =>
  new ServiceError(
    'ambiguous_credentials',
    'The X-API-Key and Authorization headers hold different credentials. Send one key, in one of the two headers.',
  );

function headerValue(rawHeaders: readonly string[], name: string): string | undefined {
  let value: string | undefined;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    // Most names differ in their length already.
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
 * The one reader of credentials, for both headers.
 * @param rawHeaders names and values in turn, as they were received: parsed headers hide duplicates.
 * @returns the key as it was sent, empty where the header holds none; null when the request has neither header.
 * @throws ServiceError `ambiguous_credentials` for two different ones or a repeated header.
 */
export function readCredential(rawHeaders: readonly string[]): string | null {
  const apiKey = headerValue(rawHeaders, 'x-api-key');
  const authorization = headerValue(rawHeaders, 'authorization');
  if (authorization === undefined) return apiKey ?? null;
  const bearer = BEARER.exec(authorization);
  const token = bearer ? (bearer[1] ?? '') : null;
  // Another scheme is no key of ours; its text must not be taken for one.
  if (apiKey === undefined) return token ?? '';
  // SDKs without a configured key send an empty bearer beside the real X-API-Key.
  if (token === apiKey || token === '') return apiKey;
  throw ambiguous();
}
