import { afterAll, beforeAll, describe, expect } from 'vitest';
import { FeedWorld, sceneTest, machineNow, type Publisher, type Reader, until } from './feed-rig.js';

/** Readers trust what they know for 3 s; who owns the feed counts on one second more. */
const LISTENS_MS = 4_000;

describe('a change that is said to be propagated', () => {
  let world: FeedWorld;
  const it = sceneTest(() => world);

  beforeAll(async () => {
    world = await FeedWorld.start();
  });
  afterAll(() => world.end());

  /** The moment since when the reader showed nothing but the new value, or nothing that a request may rely on. */
  async function obeyedSince(reader: Reader, id: string, n: number, states: readonly string[] = ['fresh', 'absent']): Promise<number> {
    const against = (await reader.seen()).filter(
      ({ state, things }) => states.includes(state) && things[id] !== undefined && things[id] !== n,
    );
    return Math.max(0, ...against.map(({ to }) => to));
  }

  const listening = (owner: Publisher): Promise<unknown> =>
    until(
      'the owner has listened for long enough',
      async () => (await owner.propagation((await owner.set('warm-up', 1)).ticket, 500)).propagated,
    );

  it.concurrent('is known to every live reader, and is so well within a second when all is well', async ({ scene }) => {
    const owner = await scene.publisher();
    await owner.set('k', 1);
    const readers = await Promise.all(['r1', 'r2', 'r3'].map((name) => scene.reader(name)));
    for (const reader of readers) await reader.knows('k', 1);
    await listening(owner);
    const { ticket } = await owner.set('k', 2);
    const said = await owner.propagation(ticket, 1_000);
    expect(said).toMatchObject({ propagated: true, waiting: [] });
    for (const reader of readers) expect(await obeyedSince(reader, 'k', 2)).toBeLessThan(said.at);
  });

  it.concurrent('is not said so while a reader that is cut off may still trust its old knowledge, and is once that has gone stale', async ({
    scene,
  }) => {
    const owner = await scene.publisher();
    await owner.set('k', 1);
    const gate = await scene.gate(world.nats.url);
    const reader = await scene.reader('cut', { natsUrl: gate.through(world.nats.url) });
    await reader.knows('k', 1);
    await reader.fresh();
    await listening(owner);
    gate.swallow();
    const { ticket } = await owner.set('k', 2);
    const early = await owner.propagation(ticket, 300);
    expect(early).toMatchObject({ propagated: false, waiting: ['cut'] });
    const said = await owner.propagation(ticket, 10_000);
    expect(said.propagated).toBe(true);
    expect((await reader.now()).things['k']).toBe(1);
    expect(await obeyedSince(reader, 'k', 2)).toBeLessThan(said.at);
  });

  it.concurrent('is not said so by a service that has just started, which knows nobody', async ({ scene }) => {
    const first = await scene.publisher({ alone: true });
    await first.set('k', 1);
    const reader = await scene.reader('left-alone');
    await reader.knows('k', 1);
    await reader.fresh();
    await reader.ears({ changes: true, ticks: true, since: true });
    await first.host.kill();
    const startedAt = machineNow();
    const second = await scene.publisher();
    const { ticket } = await second.set('k', 2);
    const early = await second.propagation(ticket, 500);
    expect(early.propagated).toBe(false);
    const said = await second.propagation(ticket, 10_000);
    expect(said.propagated).toBe(true);
    expect(said.at - startedAt).toBeGreaterThan(LISTENS_MS);
    expect(await obeyedSince(reader, 'k', 2, ['fresh'])).toBeLessThan(said.at);
  });

  it.concurrent('waits for a reader that boots: one that read its snapshot before the change is alive, with nothing applied', async ({
    scene,
  }) => {
    const owner = await scene.publisher();
    await owner.set('k', 1);
    await listening(owner);
    const booting = await scene.reader('booting', { deaf: { snapshots: true } });
    await until('its snapshot is read', async () => (await owner.readers()).some(({ reader }) => reader === 'booting'));
    const { ticket } = await owner.set('k', 2);
    const early = await owner.propagation(ticket, 300);
    expect(early).toMatchObject({ propagated: false, waiting: ['booting'] });
    await booting.ears({ snapshots: false });
    const said = await owner.propagation(ticket, 10_000);
    expect(said.propagated).toBe(true);
    expect((await booting.now()).things['k']).toBe(2);
    expect(await obeyedSince(booting, 'k', 2)).toBeLessThan(said.at);
  });
});
