import { ConflictError, type StoredValue } from '@slipway/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { AccountBounds } from './account-bounds.js';

/** One key of a store, with what was removed of an account's values. */
class OneKey {
  value: StoredValue | null = null;
  /** Number of the last value in the store. */
  seq = 0;
  puts = 0;
  readonly removed: (readonly [keys: string, below: number | undefined])[] = [];

  get(): Promise<StoredValue | null> {
    return Promise.resolve(this.value);
  }

  getCertain(): Promise<StoredValue | null> {
    return this.get();
  }

  put(key: string, bytes: Uint8Array, { expectedSeq }: { expectedSeq?: number } = {}): Promise<number> {
    this.puts += 1;
    if (expectedSeq !== (this.value?.seq ?? 0)) return Promise.reject(new ConflictError(key));
    this.seq += 1;
    this.value = { bytes, seq: this.seq, parts: 1 };
    return Promise.resolve(this.seq);
  }

  remove(keys: string, below?: number): Promise<number> {
    this.removed.push([keys, below]);
    return Promise.resolve(0);
  }

  get bytes(): number[] {
    const { spans } = JSON.parse(Buffer.from(this.value?.bytes ?? '{"spans":[]}').toString()) as { spans: { bytes: number }[] };
    return spans.map(({ bytes }) => bytes);
  }
}

const AGE_MS = 3_600_000;

describe('the bound of what an account stores', () => {
  let store: OneKey;
  let time: number;
  const gateway = (): AccountBounds => new AccountBounds({ bucket: store, bytesMax: 1_600, aheadBytes: 0, ageMs: AGE_MS, now: () => time });

  beforeEach(() => {
    store = new OneKey();
    time = 1_000_000;
  });

  it('removes the oldest values once it is reached', async () => {
    const bounds = gateway();
    for (let i = 0; i < 16; i += 1) await bounds.reserve(7, 100);
    expect(store.removed).toEqual([]);
    expect(store.bytes).toEqual(Array(16).fill(100));
    await bounds.reserve(7, 150);
    // The third span began with the third write.
    expect(store.removed).toEqual([['r.7.>', 3]]);
    expect(store.bytes).toEqual([...Array<number>(14).fill(100), 150]);
  });

  it('counts what several gateways write', async () => {
    const [one, other] = [gateway(), gateway()];
    for (let i = 0; i < 4; i += 1) await Promise.all([one.reserve(7, 10), other.reserve(7, 10), one.reserve(7, 5)]);
    expect(store.bytes.reduce((sum, bytes) => sum + bytes, 0)).toBe(100);
  });

  it('writes once for what is stored at the same time', async () => {
    const bounds = gateway();
    await Promise.all(Array.from({ length: 50 }, () => bounds.reserve(7, 1)));
    expect([store.puts, store.bytes]).toEqual([2, [50]]);
  });

  it('notes a little ahead, so that small values cost no write each', async () => {
    const bounds = new AccountBounds({ bucket: store, bytesMax: 256_000, aheadBytes: 1_000, ageMs: AGE_MS, now: () => time });
    for (let i = 0; i < 20; i += 1) await bounds.reserve(7, 100);
    expect([store.puts, store.bytes]).toEqual([2, [2_200]]);
    time += 300_000;
    await bounds.reserve(7, 100);
    expect(store.puts).toBe(3);
  });

  it('forgets what is too old to be there', async () => {
    const bounds = gateway();
    await bounds.reserve(7, 1_600);
    time += AGE_MS + 300_001;
    await bounds.reserve(7, 1_600);
    expect([store.removed, store.bytes]).toEqual([[], [1_600]]);
  });

  it('rejects where the store does not write', async () => {
    const bounds = gateway();
    store.put = () => Promise.reject(new Error('no store'));
    await expect(bounds.reserve(7, 1)).rejects.toThrow('no store');
  });
});
