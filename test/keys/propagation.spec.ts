import { setTimeout } from 'node:timers/promises';
import { CreateKey, CreateMcpKey, Incarnation, KeyFeed, RevokeKey, RotateKey, RotateMcpKey } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { TcpGate } from '@slipway/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENV } from '../services/bus.js';
import type { TestService } from '../services/test-service.js';
import { until } from '../testing/until.js';
import { KeysWorld } from './keys-world.js';
import type { TestGateway } from './test-gateway.js';

/** Gateways trust their records for 3 s; the service listens one second longer before it knows all gateways. */
const LISTENS_MS = 4_000;
/** Far less than what it listens for. */
const PAUSE_MS = 50;

/** The gateway refuses the key. */
const applies = (gateway: TestGateway, value: string): boolean => !gateway.admits(value);

describe('the reply to a change of a key', { timeout: 120_000 }, () => {
  let world: KeysWorld;
  let service: TestService;
  let gateways: readonly [TestGateway, TestGateway];

  beforeAll(async () => {
    world = await KeysWorld.start();
    service = await world.replica();
    gateways = [await world.gateway('gw-1'), await world.gateway('gw-2')];
  });
  afterAll(() => world?.end());

  const newKey = async () => {
    const account = await world.account();
    const { id, value } = await world.ask(CreateKey, { account, name: 'a key' });
    return { address: { account, key: id }, value };
  };
  const admittedEverywhere = async (value: string): Promise<void> => {
    for (const gateway of gateways) await until(`${gateway.name} accepts the key`, () => !applies(gateway, value));
  };
  /** Revokes a key until the service has listened for long enough to reply with `propagated`. */
  const untilListening = async (): Promise<void> => {
    const { address } = await newKey();
    await until('the service has listened for long enough', async () => (await world.ask(RevokeKey, address)).propagated);
  };

  it('is propagated once every live gateway applies it', async () => {
    await untilListening();
    const replies: boolean[] = [];
    for (let i = 0; i < 15; i += 1) {
      const { address, value } = await newKey();
      await admittedEverywhere(value);
      const rotated = await world.ask(RotateKey, address);
      if (rotated.propagated)
        expect(gateways.map((at) => [applies(at, value), applies(at, rotated.value)])).toEqual(gateways.map(() => [true, false]));
      const revoked = await world.ask(RevokeKey, address);
      if (revoked.propagated) expect(gateways.map((at) => applies(at, rotated.value))).toEqual([true, true]);
      for (const reply of [rotated, revoked]) if (reply.propagated) expect(reply.missing).toEqual([]);
      replies.push(rotated.propagated, revoked.propagated);
    }
    expect(replies).toContain(true);
  });

  it('is propagated likewise for a rotated MCP key', async () => {
    const account = await world.account();
    let { value } = await world.ask(CreateMcpKey, { account });
    await until('propagated is true', async () => {
      await admittedEverywhere(value);
      const rotated = await world.ask(RotateMcpKey, { account });
      if (rotated.propagated) expect(gateways.map((at) => applies(at, value))).toEqual([true, true]);
      ({ value } = rotated);
      return rotated.propagated;
    });
  });

  it('names a disconnected gateway until that one refuses everything', async () => {
    const gate = await TcpGate.open(world.bus.url);
    try {
      const cut = await world.gateway('gw-cut', gate.through(world.bus.url));
      await untilListening();
      const { address, value } = await newKey();
      await admittedEverywhere(value);
      await until('the cut gateway accepts the key', () => !applies(cut, value));
      gate.swallow();
      const named: string[] = [];
      await until('propagated is true', async () => {
        const { propagated, missing } = await world.ask(RevokeKey, address);
        named.push(...missing);
        // It never got the change; by the time it no longer counts as live, it refuses every key.
        if (propagated) expect([applies(gateways[0], value), applies(cut, value), cut.fresh]).toEqual([true, false, false]);
        return propagated;
      });
      expect(named).toContain('gw-cut');
      gate.allow();
      await until('the gateway comes back and applies', () => cut.fresh && applies(cut, value));
    } finally {
      await gate.end();
    }
  });

  it('ignores polls that confirm nothing or another epoch', async () => {
    await untilListening();
    const rpc = new RpcClient(await world.bus.connect('gateway'), ENV);
    const since = { ...KeyFeed.since, timeoutMs: 20_000 };
    const { address } = await newKey();
    await until('the key is in the feed', async () => (await world.sql(`SELECT FROM key_feed_outbox`)).length === 0);
    const known = await rpc.call(since, { reader: Incarnation.parse('gw-slow'), epoch: null, seq: 0 });
    const claims = [
      { reader: Incarnation.parse('gw-slow'), epoch: known.epoch, seq: known.head },
      { reader: Incarnation.parse('gw-past'), epoch: 'an-epoch-that-is-over', seq: 1_000_000 },
      { reader: Incarnation.parse('gw-new'), epoch: null, seq: 0 },
    ];
    const askAll = (): Promise<unknown> => Promise.all(claims.map((claim) => rpc.call(since, claim)));
    await askAll();
    let asking = true;
    const questions = (async () => {
      while (asking) {
        await askAll();
        await setTimeout(PAUSE_MS);
      }
    })();
    const named = new Set<string>();
    await until('all three are named', async () => {
      const { propagated, missing } = await world.ask(RevokeKey, address);
      for (const name of missing) named.add(name);
      expect(propagated).toBe(false);
      return claims.every(({ reader }) => named.has(reader));
    }).finally(() => (asking = false));
    await questions;
    expect([...named]).toEqual(expect.arrayContaining(['gw-new', 'gw-past', 'gw-slow']));
  });

  it('is not propagated right after the service started', async () => {
    const { address, value } = await newKey();
    await admittedEverywhere(value);
    await untilListening();
    await service.stop();
    const startedAt = performance.now();
    await world.replica();
    const replies = [await world.ask(RevokeKey, address)];
    // On a slow machine the service may have listened for long enough by its first reply.
    if (performance.now() - startedAt < LISTENS_MS) expect(replies[0]?.propagated).toBe(false);
    while (replies.at(-1)?.propagated !== true && performance.now() - startedAt < 60_000) {
      await setTimeout(PAUSE_MS);
      replies.push(await world.ask(RevokeKey, address));
    }
    expect(replies.at(-1)?.propagated).toBe(true);
    expect(performance.now() - startedAt).toBeGreaterThan(LISTENS_MS);
    expect(gateways.map((at) => applies(at, value))).toEqual([true, true]);
  });

  it('is propagated once all gateways are known gone', async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    const { address } = await newKey();
    await until('propagated is true', async () => {
      const { propagated, missing } = await world.ask(RotateKey, address);
      return propagated && missing.length === 0;
    });
  });
});
