import { randomBytes } from 'node:crypto';
import { formatKey, keyHint, type KeyKind } from '@slipway/contracts';
import { macOf, type Pepper } from '@slipway/platform';

/** A new key: its value for the one reply that shows it, and the fields that are stored. */
export interface MintedKey {
  readonly value: string;
  readonly stored: { readonly kind: KeyKind; readonly mac: Buffer; readonly pepper: string; readonly hint: string };
}

/** Makes keys under the environment's first pepper, and computes the MACs of presented keys under all of them. */
export class KeyMint {
  readonly #pepper: Pepper;

  constructor(private readonly peppers: readonly Pepper[]) {
    const [current] = peppers;
    if (!current) throw new TypeError('Keys need a pepper.');
    this.#pepper = current;
  }

  /** The MAC of a key under each pepper: it may be stored under any of them. */
  macsOf(value: string): Buffer[] {
    return this.peppers.map((pepper) => macOf(value, pepper));
  }

  /** A new random key of 256 bits. */
  mint(kind: KeyKind): MintedKey {
    const value = formatKey(kind, randomBytes(32));
    return { value, stored: { kind, mac: macOf(value, this.#pepper), pepper: this.#pepper.id, hint: keyHint(value) } };
  }
}
