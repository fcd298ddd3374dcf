import { setTimeout as delay } from 'node:timers/promises';
import { defineFeed, Incarnation } from '@slipway/contracts';
import { connectNats, createLogger, RpcClient } from '@slipway/platform';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import { FeedWorld, sceneTest, type Publisher, type Scene, trustedWrongly, until, withSql } from './feed-rig.js';

/** The feed of the processes, as a gateway asks it. */
const feed = defineFeed({ name: 'probe', owner: 'keys', readers: ['gateway'], record: z.object({ n: z.int() }) });

/** Longest time that a reader may be fresh after a commit that it lacks: staleness bound, backlog bound and one check. */
const BOUND_MS = 3_000 + 250 + 250 + 250;

describe('a fresh reader', () => {
  let world: FeedWorld;
  const it = sceneTest(() => world);

  beforeAll(async () => {
    world = await FeedWorld.start();
  });
  afterAll(() => world?.end());

  /** An owner whose feed holds k = 1. */
  async function begin(scene: Scene): Promise<Publisher> {
    const owner = await scene.publisher();
    await owner.set('k', 1);
    return owner;
  }

  it.concurrent('learns changes by broadcasts or questions', async ({ scene }) => {
    const owner = await begin(scene);
    const [hearing, asking] = [await scene.reader('hearing'), await scene.reader('asking', { deaf: { changes: true, ticks: true } })];
    await Promise.all([hearing.fresh(), asking.fresh()]);
    await hearing.ears({ since: true });
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await Promise.all([hearing.knows('k', 2), asking.knows('k', 2)]);
    for (const reader of [hearing, asking]) {
      expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
      expect((await reader.now()).swaps).toBe(1);
    }
  });

  it.concurrent('becomes cut off on ticks alone', async ({ scene }) => {
    const owner = await begin(scene);
    const reader = await scene.reader('ticks-only');
    await reader.fresh();
    await reader.ears({ changes: true, since: true });
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await reader.state('cut_off');
    expect((await reader.now()).things['k']).toBe(1);
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
    await reader.ears({ changes: false, since: false });
    await reader.fresh();
    expect((await reader.now()).things['k']).toBe(2);
  });

  it.concurrent('is told a head once at rest', async ({ scene }) => {
    const owner = await begin(scene);
    const reader = await scene.reader('resting');
    await reader.fresh();
    const nats = await connectNats({ url: world.nats.url, role: 'ops', name: 'test', log: createLogger('test', 'silent') });
    try {
      let asksAtTick = 0;
      const asks = async (): Promise<number> => Number((await owner.readers())[0]?.asks);
      nats.subscribe(`*.${scene.env}.v1.tick`, { callback: () => void (asksAtTick = Number.NaN) });
      // It asks once a second, so four questions are longer than any period of ticks.
      await until('ticks have ceased', async () => {
        if (Number.isNaN(asksAtTick)) asksAtTick = await asks();
        return (await asks()) - asksAtTick > 3;
      });
      expect((await reader.now()).state).toBe('fresh');
      await owner.set('k', 2);
      await reader.knows('k', 2);
      await until('the new head is told', () => Promise.resolve(Number.isNaN(asksAtTick)));
    } finally {
      await nats.close();
    }
  });

  it.concurrent('gets its own changes beside others', async ({ scene }) => {
    const owner = await begin(scene);
    for (const n of [2, 3, 4]) await owner.set('k', n);
    const nats = await connectNats({ url: world.nats.url, role: 'gateway', name: 'test', log: createLogger('test', 'silent') });
    try {
      const { epoch, seq } = await until('all changes have their place', async () => {
        const head = await owner.head();
        return head !== null && head.seq === 4 && head;
      });
      const rpc = new RpcClient(nats, scene.env);
      const ask = (reader: string, place: number) => rpc.call(feed.since, { reader: Incarnation.parse(reader), epoch, seq: place });
      // One statement answers questions that come together, each as if it came alone.
      const answers = await Promise.all([ask('one', 1), ask('two', 2), ask('last', seq), ask('lost', seq + 5), ask('one', 1)]);
      expect(answers.map(({ changes }) => changes.map((change) => change.seq))).toEqual([[2, 3, 4], [3, 4], [], [], [2, 3, 4]]);
      expect(answers.map(({ snapshot }) => snapshot)).toEqual([false, false, false, true, false]);
      const claims = await owner.readers();
      expect(Object.fromEntries(claims.map(({ reader, seq: at }) => [reader, Number(at)]))).toMatchObject({ one: 1, two: 2, last: seq });
    } finally {
      await nats.close();
    }
  });

  it.concurrent('is stale at once after a freeze', async ({ scene }) => {
    const owner = await begin(scene);
    const reader = await scene.reader('sleeper', { alone: true });
    await reader.fresh();
    reader.host.signal('SIGSTOP');
    const change = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
    await delay(BOUND_MS + 250);
    reader.host.signal('SIGCONT');
    await reader.knows('k', 2);
    await reader.fresh();
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
  });

  it.concurrent('goes stale while the relay is stuck', async ({ scene }) => {
    const owner = await begin(scene);
    const reader = await scene.reader('behind-the-relay');
    await reader.fresh();
    const change = await withSql(scene.database, async (client) => {
      // The relay updates this row; requests only read it.
      await client.query('BEGIN');
      await client.query('SELECT FROM probe_feed_head FOR UPDATE');
      const held = { id: 'k', n: 2, ...(await owner.set('k', 2)) };
      expect((await reader.state('cut_off')).things['k']).toBe(1);
      await client.query('ROLLBACK');
      return held;
    });
    await reader.knows('k', 2);
    await reader.fresh();
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
  });

  it.concurrent('asks for changes after its snapshot', async ({ scene }) => {
    const owner = await begin(scene);
    await owner.setMany('x', 3, 7);
    const reader = await scene.reader('overtaken', { deaf: { snapshots: true } });
    await until('its snapshot is read', async () => (await owner.readers()).length === 1);
    await owner.set('k', null);
    await owner.set('x1', 8);
    await owner.set('x2', null);
    // A reader that is loading claims nothing, whatever broadcasts it receives.
    expect(await owner.readers()).toMatchObject([{ reader: 'overtaken', epoch: null, seq: 0 }]);
    expect((await reader.now()).state).not.toBe('fresh');
    // A change that the relay has given no place yet is in no answer.
    await until('all changes have their place', async () => (await owner.head())?.seq === 7);
    await reader.ears({ snapshots: false });
    await reader.fresh();
    expect((await reader.now()).things).toEqual({ x0: 7, x1: 8 });
    expect((await reader.seen()).filter(({ state, things }) => state === 'fresh' && 'k' in things)).toEqual([]);
  });

  it.concurrent('ignores a snapshot older than its changes', async ({ scene }) => {
    const owner = await begin(scene);
    const reader = await scene.reader('reloading');
    await reader.fresh();
    await reader.ears({ snapshots: true });
    // Another process takes the lock and begins a new epoch: the reader must load again.
    await owner.stop();
    const heir = await scene.publisher();
    await until('its second snapshot is read', async () => (await heir.readers()).some(({ epoch }) => epoch === null));
    const change = { id: 'k', n: 2, ...(await heir.set('k', 2)) };
    // A reader that gets no processor time for seconds is forgotten until it asks again.
    await until('it waits for the reader', async () => {
      const { propagated, waiting } = await heir.propagation(change.ticket, 200);
      expect(propagated).toBe(false);
      return waiting.includes('reloading');
    });
    await reader.ears({ snapshots: false });
    await reader.knows('k', 2);
    await reader.fresh();
    expect((await reader.now()).things['k']).toBe(2);
    expect(trustedWrongly(await reader.seen(), change)).toBeLessThan(BOUND_MS);
  });
});
