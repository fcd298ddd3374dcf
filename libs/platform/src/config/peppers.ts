import { HmacSha256 } from './hmac-sha256.js';

/** A secret of the environment, shared by keys-service and gateways, under which keys are stored as MACs. */
export interface Pepper {
  readonly id: string;
  readonly secret: Buffer;
  readonly hmac: HmacSha256;
}

/** A pepper of this name. @param secret 32 to 64 bytes */
export const pepperOf = (id: string, secret: Buffer): Pepper => ({ id, secret, hmac: new HmacSha256(secret) });

const PEPPER = /^([A-Za-z0-9_-]{1,32}):((?:[0-9a-fA-F]{2}){32,64})$/;

/**
 * Reads `id:hex,…`, each with 32 to 64 bytes. The first one is used for new keys.
 * @throws Error without the text, which is secret.
 */
export function parsePeppers(text: string): readonly Pepper[] {
  const peppers = text.split(',').map((entry) => {
    const match = PEPPER.exec(entry.trim());
    if (!match?.[1] || !match[2]) throw new Error('must be a list of id:hex, with 32 to 64 bytes each');
    return pepperOf(match[1], Buffer.from(match[2], 'hex'));
  });
  if (new Set(peppers.map(({ id }) => id)).size !== peppers.length) throw new Error('names an id twice');
  return peppers;
}

/** HMAC-SHA-256 of a whole key: 32 bytes. */
export const macOf = (key: string, pepper: Pepper): Buffer => pepper.hmac.digest(key);
