import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
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

const PURPOSE = 'slipway stream claim';
const KEY_BYTES = 32;
const CLAIM = /^(\d{1,16})\.(\d{1,16})\.([\w-]{43})$/;

/**
 * Claims that a gateway opened a stream, and for whom. Gateways make them, workers hand them on, keys-service checks them; the
 * keys are derived from the peppers (HKDF, RFC 5869), which no worker has.
 */
export class StreamClaims {
  readonly #keys: readonly Buffer[];

  /** @param peppers the first one makes claims, all are tried for those of others. */
  constructor(peppers: readonly Pepper[]) {
    this.#keys = peppers.map(({ secret }) => Buffer.from(hkdfSync('sha256', secret, '', PURPOSE, KEY_BYTES)));
  }

  /** The claim of a stream: some 60 characters of ASCII. */
  make(stream: ClaimedStream, bounds: ClaimBounds): string {
    const [key] = this.#keys;
    if (!key) throw new Error('There is no pepper.');
    return `${bounds.prompt}.${bounds.completion}.${macOf(key, stream, bounds).toString('base64url')}`;
  }

  /** @returns what the stream can have used at most; null where no gateway made this claim for this stream. */
  check(claim: string, stream: ClaimedStream): ClaimBounds | null {
    const [, prompt, completion, text] = CLAIM.exec(claim) ?? [];
    if (text === undefined) return null;
    const bounds = { prompt: Number(prompt), completion: Number(completion) };
    const mac = Buffer.from(text, 'base64url');
    return this.#keys.some((key) => timingSafeEqual(macOf(key, stream, bounds), mac)) ? bounds : null;
  }
}

const macOf = (key: Buffer, { st, gw, account, key: keyId, deployment }: ClaimedStream, { prompt, completion }: ClaimBounds): Buffer =>
  createHmac('sha256', key)
    .update(JSON.stringify([st, gw, account, keyId, deployment, prompt, completion]))
    .digest();
