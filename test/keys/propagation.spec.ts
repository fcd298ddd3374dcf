import { CreateKey, CreateMcpKey, Incarnation, KeyFeed, RevokeKey, RotateKey, RotateMcpKey } from '@slipway/contracts';
import { RpcClient } from '@slipway/platform';
import { TcpGate } from '@slipway/testing';
import { describe, expect } from 'vitest';
import { ENV, until } from './keys-rig.js';
import { type KeysWorld, worldTest as it } from './keys-world.js';
import type { TestGateway } from './test-gateway.js';

/** Gateways trust what they know for 3 s; the service listens one second longer before it claims to know them all. */
const LISTENS_MS = 4_000;

/** It opens nothing there. */
const obeys = (gateway: TestGateway, value: string): boolean => !gateway.admits(value);

describe('an answer that says who obeys', () => {
  const newKey = async (world: KeysWorld) => {
    const account = await world.account();
    const { id, value } = await world.ask(CreateKey, { account, name: 'a key' });
    return { address: { account, key: id }, value };
  };
  /** Revokes a key until the service has listened for long enough to say true. */
  const untilListening = async (world: KeysWorld): Promise<void> => {
    const { address } = await newKey(world);
    await until('the service has listened for long enough', async () => (await world.ask(RevokeKey, address)).propagated);
  };

  it.concurrent('is true only when every live gateway obeys already, and is so in the usual case', async ({ world }) => {
    await Promise.all([world.replica(), world.replica()]);
    const gateways = [await world.gateway('gw-1'), await world.gateway('gw-2')];
    await untilListening(world);
    const said: boolean[] = [];
    for (let i = 0; i < 15; i += 1) {
      const { address, value } = await newKey(world);
      for (const gateway of gateways) await until(`${gateway.name} admits the key`, () => !obeys(gateway, value));
      const rotated = await world.ask(RotateKey, address);
      if (rotated.propagated) {
        for (const gateway of gateways) expect([obeys(gateway, value), obeys(gateway, rotated.value)]).toEqual([true, false]);
      }
      const revoked = await world.ask(RevokeKey, address);
      if (revoked.propagated) expect(gateways.map((gateway) => obeys(gateway, rotated.value))).toEqual([true, true]);
      for (const reply of [rotated, revoked]) if (reply.propagated) expect(reply.missing).toEqual([]);
      said.push(rotated.propagated, revoked.propagated);
    }
    expect(said).toContain(true);
    await until('true is said of the MCP key too', async () => {
      const account = await world.account();
      const { value } = await world.ask(CreateMcpKey, { account });
      for (const gateway of gateways) await until(`${gateway.name} admits the key`, () => !obeys(gateway, value));
      const { propagated } = await world.ask(RotateMcpKey, { account });
      if (propagated) expect(gateways.map((gateway) => obeys(gateway, value))).toEqual([true, true]);
      return propagated;
    });
  });

  it.concurrent('is false and names the gateway that is cut off, until that one can admit nothing any more', async ({ world }) => {
    await world.replica();
    const gate = await TcpGate.open(world.bus.server.url);
    try {
      const near = await world.gateway('gw-near');
      const cut = await world.gateway('gw-cut', gate.through(world.bus.server.url));
      await untilListening(world);
      const { address, value } = await newKey(world);
      for (const gateway of [near, cut]) await until(`${gateway.name} admits the key`, () => !obeys(gateway, value));
      gate.swallow();
      const named: string[] = [];
      await until('true is said', async () => {
        const { propagated, missing } = await world.ask(RevokeKey, address);
        named.push(...missing);
        // It never heard of the change; by the time it is not counted, it trusts nothing that it knows.
        if (propagated) expect([obeys(near, value), obeys(cut, value), cut.fresh]).toEqual([true, false, false]);
        return propagated;
      });
      expect(named).toContain('gw-cut');
      gate.allow();
      await until('the gateway comes back and obeys', () => cut.fresh && obeys(cut, value));
    } finally {
      await gate.end();
    }
  });

  it.concurrent(
    'does not take the questions of a gateway that applies nothing, or speaks of another epoch, for confirmations',
    async ({ world }) => {
      await world.replica();
      await untilListening(world);
      const rpc = new RpcClient(await world.bus.connect('gateway'), ENV);
      const { address } = await newKey(world);
      await until('the key is in the feed', async () => (await world.sql(`SELECT FROM key_feed_outbox`)).length === 0);
      const known = await rpc.call(KeyFeed.since, { reader: Incarnation.parse('gw-slow'), epoch: null, seq: 0 });
      const claims = [
        { reader: Incarnation.parse('gw-slow'), epoch: known.epoch, seq: known.head },
        { reader: Incarnation.parse('gw-past'), epoch: 'an-epoch-that-is-over', seq: 1_000_000 },
        { reader: Incarnation.parse('gw-new'), epoch: null, seq: 0 },
      ];
      const askAll = (): Promise<unknown> => Promise.all(claims.map((claim) => rpc.call({ ...KeyFeed.since, timeoutMs: 20_000 }, claim)));
      await askAll();
      let named: readonly string[] = [];
      let asking = true;
      const questions = (async () => {
        while (asking) await askAll();
      })();
      await until('all three are named', async () => {
        const { propagated, missing } = await world.ask(RevokeKey, address);
        named = missing.toSorted();
        expect(propagated).toBe(false);
        return named.length >= claims.length;
      }).finally(() => (asking = false));
      await questions;
      expect(named).toEqual(['gw-new', 'gw-past', 'gw-slow']);
    },
  );

  it.concurrent('is false from a service that has just started, which knows nobody, however quiet it is', async ({ world }) => {
    const first = await world.replica();
    const gateway = await world.gateway('gw-1');
    const { address, value } = await newKey(world);
    await until('the gateway admits the key', () => !obeys(gateway, value));
    await untilListening(world);
    await first.stop('SIGKILL');
    const startedAt = performance.now();
    await world.replica();
    const replies = [await world.ask(RevokeKey, address)];
    while (replies.at(-1)?.propagated !== true && performance.now() - startedAt < 60_000) replies.push(await world.ask(RevokeKey, address));
    expect(replies[0]?.propagated).toBe(false);
    expect(replies.at(-1)?.propagated).toBe(true);
    expect(performance.now() - startedAt).toBeGreaterThan(LISTENS_MS);
    expect(obeys(gateway, value)).toBe(true);
  });

  it.concurrent('is true without any gateway, once the service has listened for long enough', async ({ world }) => {
    await world.replica();
    await untilListening(world);
    const { address } = await newKey(world);
    expect(await world.ask(RotateKey, address)).toMatchObject({ propagated: true, missing: [] });
  });
});
