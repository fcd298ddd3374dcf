import { type AccountId, type DeploymentId, ResponseStore } from '@slipway/contracts';
import { createLogger, ensureValueStore, type NatsConnection, SecretVault } from '@slipway/platform';
import { Registry } from '@slipway/platform/metrics';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { StoredResponses, type StoredResponsesOptions } from '../../apps/gateway/src/stored/stored-responses.js';
import { Bus, ENV } from '../services/bus.js';
import { until } from '../testing/until.js';

const KIB = 1024;
const owner = { account: 7 as AccountId, deployment: 42 as DeploymentId };
const streamOf = (n: number): string => String(n).padStart(22, '0');
const anyLength = (): void => undefined;

describe('the store of responses, with the permissions of gateways', () => {
  let bus: Bus;

  beforeEach(async () => {
    bus = await Bus.start();
  }, 60_000);
  afterEach(() => bus.end(), 60_000);

  const make = async (nats?: NatsConnection, store = ResponseStore): Promise<void> =>
    ensureValueStore(store, { nats: nats ?? (await bus.connect('boot')), env: ENV, timeoutMs: 20_000 });
  const gateway = async (options: Partial<StoredResponsesOptions> = {}): Promise<StoredResponses> =>
    new StoredResponses({
      ...{ nats: await bus.connect('gateway'), env: ENV, vault: new SecretVault('ab'.repeat(32)), log: createLogger('test', 'silent') },
      ...{ metrics: new Registry(), isStoring: () => true, ...options },
    });
  const isThere = async (store: StoredResponses, n: number, of = owner): Promise<boolean> =>
    (await store.find(of, [`${streamOf(n)}.o`, `${streamOf(n)}.i`], anyLength)).size === 2;

  it('keeps an account below its bound, of whichever gateways', async () => {
    await make();
    const stores = [await gateway({ accountBytesMax: 64 * KIB }), await gateway({ accountBytesMax: 64 * KIB })];
    const value = { o: 'o'.repeat(KIB), i: 'i'.repeat(KIB) };
    const other = { ...owner, account: 8 as AccountId };
    expect(await stores[0]!.store(other, streamOf(0), value)).toBe(true);
    for (let n = 0; n < 60; n += 1) expect(await stores[n % 2]!.store(owner, streamOf(n), value)).toBe(true);
    const there = await Promise.all(Array.from({ length: 60 }, (_, n) => isThere(stores[n % 2]!, n)));
    const first = there.indexOf(true);
    // 64 KiB hold 21 responses of 3 KiB each, with what the store needs besides; the oldest go a sixteenth at a time.
    expect(60 - first).toBeLessThanOrEqual(21);
    expect(60 - first).toBeGreaterThan(15);
    expect(there.slice(first).every(Boolean)).toBe(true);
    expect(await isThere(stores[1]!, 0, other)).toBe(true);
  });

  it('stores what many requests of several gateways end with at once', async () => {
    await make();
    const stores = await Promise.all(Array.from({ length: 4 }, () => gateway()));
    const all = Array.from({ length: 200 }, (_, n) => stores[n % 4]!.store(owner, streamOf(n), { o: '{}', i: '{}' }));
    expect((await Promise.all(all)).every(Boolean)).toBe(true);
    expect(await isThere(stores[0]!, 199)).toBe(true);
  });

  it('does not store what is too large, or of a deployment that stores no longer', async () => {
    await make();
    const store = await gateway();
    const long = 'x'.repeat(8 * KIB * KIB);
    expect(await store.store(owner, streamOf(1), { o: long, i: '' })).toBe(true);
    expect(await isThere(store, 1)).toBe(true);
    expect(await store.store(owner, streamOf(2), { o: `${long}x`, i: '' })).toBe(false);
    expect(await (await gateway({ isStoring: () => false })).store(owner, streamOf(3), { o: '{}', i: '' })).toBe(false);
  });

  it('gives up on a store that does not answer in time', async () => {
    await make();
    const store = await gateway({ storeMs: 300 });
    expect(await store.store(owner, streamOf(1), { o: '{}', i: '' })).toBe(true);
    bus.servers[0]!.freeze();
    let n = 1;
    // The signal may reach the server after a message.
    await until('the store gives up', async () => !(await store.store(owner, streamOf((n += 1)), { o: '{}', i: '' })));
    bus.servers[0]!.thaw();
    expect(await isThere(store, 1)).toBe(true);
  });

  it('is made again without losing what it holds', async () => {
    await make();
    const store = await gateway();
    expect(await store.store(owner, streamOf(1), { o: '{}', i: '{}' })).toBe(true);
    await make();
    expect(await isThere(store, 1)).toBe(true);
  });
});

describe('the store of responses in a cluster', () => {
  it('reads at any server what one has confirmed', async () => {
    const bus = await Bus.start(3);
    try {
      const boot = await bus.connect('boot');
      const made = (): Promise<void> => ensureValueStore(ResponseStore, { nats: boot, env: ENV, replicas: 3, timeoutMs: 2_000 });
      // The cluster elects its leaders first.
      const isMade = (): Promise<boolean> =>
        made().then(
          () => true,
          () => false,
        );
      await until('the store is made', isMade, 60_000);
      const options = { env: ENV, vault: null, log: createLogger('test', 'silent'), isStoring: () => true, storeMs: 10_000 };
      const stores = await Promise.all(
        Array.from(
          { length: 3 },
          async () => new StoredResponses({ ...options, nats: await bus.connect('gateway'), metrics: new Registry() }),
        ),
      );
      for (let n = 0; n < 60; n += 1) {
        expect(await stores[n % 3]!.store(owner, streamOf(n), { o: '{}', i: '{}' })).toBe(true);
        expect((await stores[(n + 1) % 3]!.find(owner, [`${streamOf(n)}.o`], anyLength)).size).toBe(1);
      }
    } finally {
      await bus.end();
    }
  });
});
