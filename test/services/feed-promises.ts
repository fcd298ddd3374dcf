import { isDeepStrictEqual } from 'node:util';
import { startTestPostgres, type TestPostgres } from '@slipway/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../testing/until.js';
import { copyDatabase } from '../feed/copy-database.js';
import type { FeedOwner, Thing } from './feed-owners.js';
import { FeedScene } from './feed-scene.js';
import { TRUSTED_WRONGLY_MAX_MS } from './follower.js';
import { unanswered } from './patient-rpc.js';

/** Time for a promise, side by side with the others. */
export const PATIENT = { timeout: 180_000 };

/** Declares what every service that owns a feed promises to its followers, tried on real processes, in the `describe` of its caller. */
export function promisesOfFeed(owner: FeedOwner): void {
  let postgres: TestPostgres;

  beforeAll(async () => {
    postgres = await startTestPostgres();
  });
  afterAll(() => postgres?.stop());

  async function staged(tell: (scene: FeedScene) => Promise<void>, nodes = 1): Promise<void> {
    const scene = await FeedScene.open(owner, postgres, nodes);
    try {
      await tell(scene);
    } finally {
      await scene.end();
    }
  }

  it.each([
    ['killed', 'kill', 'restart'],
    ['hung', 'freeze', 'thaw'],
  ] as const)('keeps its word when each of two nats-servers is %s in turn', (_, fail, repair) =>
    staged(async (scene) => {
      await scene.service();
      const follower = await scene.follower('gw-1');
      for (const server of scene.bus.servers) {
        const thing = await scene.make();
        await follower.sees(thing, 'open');
        await server[fail]();
        const { at } = await scene.withdraw(thing);
        await follower.sees(thing, 'closed');
        await follower.whenFresh();
        expect(follower.trustedWrongly(thing, at)).toBeLessThan(TRUSTED_WRONGLY_MAX_MS);
        await server[repair]();
      }
    }, 2),
  );

  it('reaches gateways that lose its broadcasts, and reports them truly', () =>
    staged(async (scene) => {
      await scene.service();
      const deaf = [await scene.follower('gw-no-changes', ['chg']), await scene.follower('gw-no-hints', ['chg', 'tick'])];
      const followers = [await scene.follower('gw-all'), ...deaf];
      for (let i = 0; i < 5; i += 1) {
        const thing = await scene.make();
        for (const follower of followers) await follower.sees(thing, 'open');
        const { confirmed, at } = await scene.withdraw(thing);
        if (confirmed) expect(followers.map((follower) => follower.sight(thing))).toEqual(['closed', 'closed', 'closed']);
        for (const follower of followers) {
          await follower.sees(thing, 'closed');
          expect(follower.trustedWrongly(thing, at)).toBeLessThan(TRUSTED_WRONGLY_MAX_MS);
        }
      }
      for (const follower of deaf) expect(follower.unheard).toBeGreaterThan(0);
    }));

  it('is known to be absent while the service restarts, and goes on under a new epoch', () =>
    staged(async (scene) => {
      const service = await scene.service();
      const follower = await scene.follower('gw-1');
      const [kept, withdrawn] = [await scene.make(), await scene.make()];
      await scene.withdraw(withdrawn);
      await follower.sees(kept, 'open');
      await follower.sees(withdrawn, 'closed');
      const { epoch } = follower;
      expect(await service.stop()).toBe(0);
      await follower.whenState('absent');
      expect([follower.sight(kept), follower.sight(withdrawn)]).toEqual(['open', 'closed']);
      await scene.service();
      await follower.whenFresh();
      expect([follower.sight(kept), follower.sight(withdrawn)]).toEqual(['open', 'closed']);
      await follower.leaves(epoch);
      const { at } = await scene.withdraw(kept);
      await follower.sees(kept, 'closed');
      expect(follower.trustedWrongly(kept, at)).toBeLessThan(TRUSTED_WRONGLY_MAX_MS);
    }));

  it('announces everything answered before a kill -9 amid writes', () =>
    staged(async (scene) => {
      const service = await scene.service();
      const follower = await scene.follower('gw-1');
      await scene.make();
      const answered = await writtenUntilKilled(scene, () => service.stop('SIGKILL'));
      await scene.service();
      for (const [thing, sight] of answered) await follower.sees(thing, sight);
      const newcomer = await scene.follower('gw-2');
      await until('who followed and who begins anew know the same', () => isDeepStrictEqual(follower.records, newcomer.records));
      expect(newcomer.records).not.toEqual({});
    }));

  /** Writes while `kill` ends the service, and returns what is certain of the things that were made. */
  async function writtenUntilKilled(scene: FeedScene, kill: () => Promise<unknown>): Promise<Map<Thing, 'open' | 'closed'>> {
    const answered = new Map<Thing, 'open' | 'closed'>();
    let writing = true;
    const write = async (): Promise<void> => {
      while (writing) {
        const thing = await scene.tryToMake().catch(unanswered);
        if (!thing) continue;
        const keep = thing.id % 2 === 0;
        if (keep) answered.set(thing, 'open');
        // Without an answer it is unknown whether it was withdrawn.
        else if ((await scene.tryToWithdraw(thing).catch(unanswered)) !== null) answered.set(thing, 'closed');
      }
    };
    const writers = [write(), write(), write()];
    await until('some writes are answered', () => answered.size >= 20);
    await kill();
    writing = false;
    await Promise.all(writers);
    return answered;
  }

  it('loads at a gateway that was started while the service was down', () =>
    staged(async (scene) => {
      const service = await scene.service();
      const [open, closed] = [await scene.make(), await scene.make()];
      await scene.withdraw(closed);
      await service.stop();
      const follower = await scene.follower('gw-1');
      await follower.whenState('absent');
      expect([follower.epoch, follower.records]).toEqual([null, {}]);
      await scene.service();
      await follower.whenFresh();
      expect([follower.sight(open), follower.sight(closed)]).toEqual(['open', 'closed']);
    }));

  it.each(['runs on', 'is stopped, as documented'] as const)('follows a restored database exactly, though the service %s', (how) =>
    staged(async (scene) => {
      const service = await scene.service();
      const follower = await scene.follower('gw-1');
      const before = await scene.make();
      await follower.sees(before, 'open');
      const backup = `${scene.database}_backup`;
      await copyDatabase(postgres, scene.database, backup);
      const lost = await scene.make();
      await scene.withdraw(before);
      await follower.sees(lost, 'open');
      await follower.sees(before, 'closed');
      const { epoch } = follower;

      if (how !== 'runs on') await service.stop();
      await copyDatabase(postgres, backup, scene.database);
      if (how !== 'runs on') await scene.service();
      // What was withdrawn after the backup is open again: the database says so, and only its owner knows better.
      await follower.sees(before, 'open');
      await follower.whenFresh();
      expect(follower.sight(lost)).toBe('unknown');
      await follower.leaves(epoch);

      const successor = await scene.make();
      expect(successor.record).toBe(lost.record);
      await follower.sees(successor, 'open');
      expect(follower.sight(lost)).toBe('unknown');
      await scene.withdraw(before);
      await follower.sees(before, 'closed');
    }),
  );

  it.each([
    ['refuses connections', 'refuse'],
    ['hangs', 'swallow'],
  ] as const)('is absent while PostgreSQL %s, and announces later changes after', (_, fail) =>
    staged(async (scene) => {
      await scene.service();
      const follower = await scene.follower('gw-1');
      const thing = await scene.make();
      await follower.sees(thing, 'open');
      scene.gate[fail]();
      await expect(scene.tryToMake()).rejects.toMatchObject({ code: 'unavailable' });
      await follower.whenState('absent');
      expect(follower.sight(thing)).toBe('open');
      scene.gate.allow();
      const { at } = await scene.withdraw(thing);
      await follower.sees(thing, 'closed');
      await follower.whenFresh();
      expect(follower.trustedWrongly(thing, at)).toBeLessThan(TRUSTED_WRONGLY_MAX_MS);
    }),
  );
}
