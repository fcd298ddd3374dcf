import { ServiceError } from '@slipway/contracts';
import { type SecretVault, type StoredValue, UnreadableSecretError, type ValueBucket } from '@slipway/platform';

/** Longest part of a value, in bytes: it must fit into a message, also in base64, as a leader returns it. */
const PART_BYTES = 512 * 1024;
/** What the store needs for each part besides its bytes. */
const PART_OVERHEAD = 512;
/** Parts that are written or read at once. */
const AT_ONCE = 4;

/** What a value takes in the store, in bytes. */
export const storedBytes = (bytes: number): number => bytes + PART_OVERHEAD * partsOf(bytes);

const partsOf = (bytes: number): number => Math.max(1, Math.ceil(bytes / PART_BYTES));

/** Values of any length in a bucket, in parts. They are sealed where a secret key is set; a sealed one opens under its own key alone. */
export class SealedValues {
  constructor(
    private readonly bucket: Pick<ValueBucket, 'put' | 'get'>,
    private readonly vault: SecretVault | null,
  ) {}

  /** Writes a value. Until its first part is there, which is written last, it does not exist. @throws an error of the bucket */
  async put(key: string, value: Uint8Array): Promise<void> {
    const bytes = this.vault?.sealBytes(value, key) ?? value;
    const parts = partsOf(bytes.length);
    const put = (n: number): Promise<number> =>
      this.bucket.put(`${key}.${n}`, bytes.subarray(n * PART_BYTES, (n + 1) * PART_BYTES), { parts });
    await inTurns(partNumbers(parts), put);
    await put(0);
  }

  /**
   * Reads a value; null where there is none, or one that does not open.
   * @param expect called with the value's length, or somewhat more, before more than one part is read. What it throws ends the read.
   * @throws an error of the bucket
   */
  async get(key: string, expect: (bytes: number) => void): Promise<Uint8Array | null> {
    const first = await this.bucket.get(`${key}.0`);
    if (!first) return null;
    expect(first.parts === 1 ? first.bytes.length : first.parts * PART_BYTES);
    const rest = await inTurns(partNumbers(first.parts), (n) => this.bucket.get(`${key}.${n}`));
    const parts = [first, ...rest].filter((part): part is StoredValue => part !== null);
    if (parts.length < first.parts) return null;
    return this.#open(key, parts.length === 1 ? first.bytes : Buffer.concat(parts.map(({ bytes }) => bytes)));
  }

  #open(key: string, bytes: Uint8Array): Uint8Array | null {
    if (!this.vault) return bytes;
    try {
      return this.vault.openBytes(bytes, key);
    } catch (error) {
      if (error instanceof UnreadableSecretError) return null;
      throw error;
    }
  }
}

/** Numbers of the parts behind the first one. */
const partNumbers = (parts: number): number[] => Array.from({ length: parts - 1 }, (_, i) => i + 1);

/** Calls `work` for each item, for a few at once. The results are in the order of the items. */
export async function inTurns<I, R>(items: readonly I[], work: (item: I) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += AT_ONCE) results.push(...(await Promise.all(items.slice(i, i + AT_ONCE).map(work))));
  return results;
}

/** The error where the store does not answer. */
export const storeUnavailable = (cause: unknown): ServiceError =>
  new ServiceError('deployment_unavailable', 'Stored responses cannot be read right now; try again soon.', { retryAfterS: 2, cause });
