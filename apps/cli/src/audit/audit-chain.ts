import { createHash } from 'node:crypto';
import type { SealedAuditEntry } from '@slipway/contracts';

/** A place in a chain: the number of an entry and its hash. */
export interface ChainHead {
  readonly seq: number;
  /** Hex. */
  readonly hash: string;
}

/** Checks the chain of a service's audit log, up to the first entry that does not follow from the one before it. */
export class ChainCheck {
  #head: ChainHead = { seq: 0, hash: '' };
  #fault: string | null = null;
  #isAnchored = false;

  readonly #anchor: ChainHead | null;

  /** @param anchor a head that was noted earlier: the chain must contain it */
  constructor(anchor: ChainHead | null = null) {
    this.#anchor = anchor;
  }

  get head(): ChainHead {
    return this.#head;
  }

  take(entry: SealedAuditEntry): void {
    this.#fault ??= this.#faultOf(entry);
    if (this.#fault !== null) return;
    this.#head = { seq: entry.seq, hash: entry.hash };
    this.#isAnchored ||= this.#anchor?.seq === entry.seq && this.#anchor.hash === entry.hash;
  }

  /** What is wrong once all entries were taken; null = nothing. `unsealed`: entries that the chain does not hold. */
  fault(unsealed: readonly number[]): string | null {
    if (this.#fault !== null) return this.#fault;
    if (unsealed.length > 0) return `Entries that are not in the chain: ${unsealed.join(', ')}.`;
    const anchor = this.#anchor;
    if (anchor === null || this.#isAnchored) return null;
    return anchor.seq > this.#head.seq
      ? `The chain ends at ${this.#head.seq}, before ${anchor.seq}: its newest entries were taken away.`
      : `Entry ${anchor.seq} has another hash than the one given: the chain was made anew.`;
  }

  #faultOf({ seq, hash, text }: SealedAuditEntry): string | null {
    if (seq !== this.#head.seq + 1) return `Entry ${this.#head.seq + 1} of the chain is missing.`;
    if (text === null) return `The text of entry ${seq} was taken away.`;
    const expected = createHash('sha256').update(Buffer.from(this.#head.hash, 'hex')).update(text, 'utf8').digest('hex');
    return expected === hash ? null : `Entry ${seq} was changed, or one before it.`;
  }
}
