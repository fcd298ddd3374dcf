import { randomBytes } from 'node:crypto';
import { SecretVault, type StoredValue } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import { SealedValues } from './sealed-values.js';

const KEY = 'ab'.repeat(32);
const any = (): void => undefined;

/** A store in memory. */
class Values {
  readonly all = new Map<string, StoredValue>();

  put(key: string, bytes: Uint8Array, { parts = 1 }: { parts?: number } = {}): Promise<number> {
    this.all.set(key, { bytes: Buffer.from(bytes), seq: this.all.size + 1, parts });
    return Promise.resolve(this.all.size);
  }

  get(key: string): Promise<StoredValue | null> {
    return Promise.resolve(this.all.get(key) ?? null);
  }
}

describe.each([null, new SecretVault(KEY)])('stored values, with the key %#', (vault) => {
  it.each([0, 1, 512 * 1024, 3 * 512 * 1024 + 5])('come back whole: %i bytes', async (length) => {
    const values = new SealedValues(new Values(), vault);
    const value = randomBytes(length);
    await values.put('k', value);
    // Comparing large buffers by toEqual takes seconds.
    expect(value.equals((await values.get('k', any))!)).toBe(true);
    expect(await values.get('other', any)).toBeNull();
  });

  it('do not exist before their last part is written', async () => {
    const store = new Values();
    const values = new SealedValues(store, vault);
    await values.put('k', randomBytes(1_200_000));
    expect([...store.all.keys()]).toEqual(['k.1', 'k.2', 'k.0']);
    store.all.delete('k.1');
    expect(await values.get('k', any)).toBeNull();
  });

  it('say how long they are before they are read', async () => {
    const values = new SealedValues(new Values(), vault);
    await values.put('k', randomBytes(1_200_000));
    const refuse = (length: number): never => {
      throw new Error(`${length >= 1_200_000}`);
    };
    await expect(values.get('k', refuse)).rejects.toThrow('true');
  });
});

describe('sealed values', () => {
  it('hold nothing of their text, and open under their key alone', async () => {
    const store = new Values();
    const sealed = new SealedValues(store, new SecretVault(KEY));
    await sealed.put('r.1.2.a.o', Buffer.from('canary canary'));
    expect(Buffer.concat([...store.all.values()].map(({ bytes }) => bytes)).toString('latin1')).not.toContain('canary');
    store.all.set('r.3.2.a.o.0', store.all.get('r.1.2.a.o.0')!);
    expect(await sealed.get('r.3.2.a.o', any)).toBeNull();
    expect(await new SealedValues(store, new SecretVault('cd'.repeat(32))).get('r.1.2.a.o', any)).toBeNull();
    const both = new SealedValues(store, new SecretVault(`${'cd'.repeat(32)},${KEY}`));
    expect(Buffer.from((await both.get('r.1.2.a.o', any))!).toString()).toBe('canary canary');
  });
});
