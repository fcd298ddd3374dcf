import { afterAll, beforeAll, describe, expect } from 'vitest';
import { FeedWorld, sceneTest, machineNow, type Publisher, type Reader, until } from './feed-rig.js';

/** Readers use their records for 3 s; the publisher adds one second. */
const LISTENS_MS = 4_000;

describe('a propagated change', () => {
  let world: FeedWorld;
  const it = sceneTest(() => world);

  beforeAll(async () => {
    world = await FeedWorld.start();
  });
  afterAll(() => world?.end());

  /** Since when the reader had the new value or was not fresh. */
  async function appliedSince(reader: Reader, id: string, n: number, states: readonly string[] = ['fresh', 'absent']): Promise<number> {
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

  it.concurrent('is known to every live reader', async ({ scene }) => {
    const owner = await scene.publisher();
    await owner.set('k', 1);
    const readers = await Promise.all(['r1', 'r2', 'r3'].map((name) => scene.reader(name)));
    for (const reader of readers) await reader.knows('k', 1);
    await listening(owner);
    const { ticket } = await owner.set('k', 2);
    const said = await owner.propagation(ticket, 1_000);
    expect(said).toMatchObject({ propagated: true, waiting: [] });
    for (const reader of readers) expect(await appliedSince(reader, 'k', 2)).toBeLessThan(said.at);
  });

  it.concurrent('waits for a cut-off reader to go stale', async ({ scene }) => {
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
    expect(await appliedSince(reader, 'k', 2)).toBeLessThan(said.at);
  });

  it.concurrent('is not reported by a starting service', async ({ scene }) => {
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
    expect(await appliedSince(reader, 'k', 2, ['fresh'])).toBeLessThan(said.at);
  });

  it.concurrent('waits for a reader that loads its snapshot', async ({ scene }) => {
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
    expect(await appliedSince(booting, 'k', 2)).toBeLessThan(said.at);
  });
});
