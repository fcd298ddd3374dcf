import { hkdfSync, timingSafeEqual } from 'node:crypto';
import { HmacSha256 } from './hmac-sha256.js';
import type { Pepper } from './peppers.js';

/** Whose usage a stream is. */
export interface ClaimedStream {
  readonly st: string;
  /** The gateway that opened it. */
  readonly gw: string;
  readonly account: number;
  readonly key: number;
  readonly deployment: number;
}

/** What a stream can use at most, in tokens. */
export interface ClaimBounds {
  readonly prompt: number;
  readonly completion: number;
}

/** Bounds of a stream, stated by the gateway that opened it. */
export interface ClaimedUse extends ClaimBounds {
  /** When its request arrived, in milliseconds since 1970. */
  readonly started: number;
}

/** Content of a valid claim. */
export interface ReadClaim extends ClaimBounds {
  /** Null in claims of older gateways, which have no time. */
  readonly started: number | null;
}

const PURPOSE = 'slipway stream claim';
const KEY_BYTES = 32;
const VERSION = 'v2';
const CLAIM = /^(?:v2\.(\d{1,16})\.)?(\d{1,16})\.(\d{1,16})\.([\w-]{43})$/;

/**
 * Claims that prove which gateway opened a stream, and for whom. Gateways make them, workers pass them on, keys-service verifies
 * them. Their keys are derived from the peppers (HKDF, RFC 5869), which workers do not have.
 */
export class StreamClaims {
  readonly #keys: readonly HmacSha256[];

  /** @param peppers the first one signs; all of them verify. */
  constructor(peppers: readonly Pepper[]) {
    this.#keys = peppers.map(({ secret }) => new HmacSha256(Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES))));
  }

  /** Makes the claim of a stream: about 80 ASCII characters. */
  make(stream: ClaimedStream, use: ClaimedUse): string {
    const [key] = this.#keys;
    if (!key) throw new Error('There is no pepper.');
    return `${VERSION}.${use.started}.${use.prompt}.${use.completion}.${macOf(key, stream, use).toString('base64url')}`;
  }

  /** Verifies a claim. @returns the most that the stream can have used, and when it began; null = not a valid claim for this stream. */
  check(claim: string, stream: ClaimedStream): ReadClaim | null {
    const [, started, prompt, completion, text] = CLAIM.exec(claim) ?? [];
    if (text === undefined) return null;
    const said = { prompt: Number(prompt), completion: Number(completion), started: started === undefined ? null : Number(started) };
    const mac = Buffer.from(text, 'base64url');
    return this.#keys.some((key) => timingSafeEqual(macOf(key, stream, said), mac)) ? said : null;
  }
}

/** The signed text contains the version, so that no claim can be read as one of another version. */
function macOf(
  key: HmacSha256,
  { st, gw, account, key: keyId, deployment }: ClaimedStream,
  { prompt, completion, started }: ReadClaim,
): Buffer {
  const first = [st, gw, account, keyId, deployment, prompt, completion];
  return key.digest(JSON.stringify(started === null ? first : [VERSION, ...first, started]));
}
