import { randomBytes } from 'node:crypto';
import { formatKey, keyHint, type KeyKind } from '@slipway/contracts';
import { macOf, type Pepper } from '@slipway/platform';

/** A new key, in clear for the one reply that shows it, and what may be stored of it. */
export interface MintedKey {
  readonly value: string;
  readonly stored: { readonly kind: KeyKind; readonly mac: Buffer; readonly pepper: string; readonly hint: string };
}

/** Makes keys under the environment's current pepper, the first of those it has, and finds them again under all. */
export class KeyMint {
  readonly #pepper: Pepper;

  constructor(private readonly peppers: readonly Pepper[]) {
    const [current] = peppers;
    if (!current) throw new TypeError('Keys need a pepper.');
    this.#pepper = current;
  }

  /** What a key may be stored as: its MAC under each pepper. */
  macsOf(value: string): Buffer[] {
    return this.peppers.map((pepper) => macOf(value, pepper));
  }

  mint(kind: KeyKind): MintedKey {
    const value = formatKey(kind, randomBytes(32));
    return { value, stored: { kind, mac: macOf(value, this.#pepper), pepper: this.#pepper.id, hint: keyHint(value) } };
  }
}
