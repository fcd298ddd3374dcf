import type { DeploymentId, Heartbeat, Incarnation, KeyId, ServiceError } from '@slipway/contracts';
import { beforeEach, describe, expect, it } from 'vitest';
import { type RequestChooser, Router } from './router.service.js';
import { WorkerTable } from './worker-table.js';

const DEP = 1 as DeploymentId;
const KEY = 1 as KeyId;
const WORKER = 'a' as Incarnation;
const READY = { dep: DEP, rev: 1, fp: 'f', state: 'ready', used: 0, queued: 0, proto: ['1.0', '1.0'], caps: [], zone: null };
/** Starts that a worker may have unanswered. */
const WINDOW = 64;
const BURST = 512;

describe('a deployment whose worker answers starts slowly', () => {
  let now: number;
  let router: Router;
  let beats: number;
  /** Requests whose starts are sent, oldest first. */
  let sent: RequestChooser[];
  let refused: ServiceError[];

  const heartbeat = (slots = 1_000): void => {
    beats += 1;
    router.onHeartbeat({ ...READY, wk: WORKER, n: beats, slots } as unknown as Heartbeat);
  };
  const request = (key = KEY, cost = 10): void => {
    const chooser = router.chooserFor({ deployment: DEP, rev: 1, affinity: 0, key, cost });
    chooser.choose(new Set(), { signal: new AbortController().signal }).then(
      () => sent.push(chooser),
      (error: unknown) => refused.push(error as ServiceError),
    );
  };
  const requests = (count: number, key = KEY): void => {
    for (let i = 0; i < count; i += 1) request(key);
  };
  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  /** The worker answers the oldest starts, which end at once. */
  const answer = (count: number): void => {
    for (const chooser of sent.splice(0, count)) {
      chooser.accepted(WORKER);
      chooser.released(WORKER);
    }
  };

  beforeEach(() => {
    now = 0;
    beats = 0;
    sent = [];
    refused = [];
    router = new Router({ table: new WorkerTable(() => now), queueWaitMs: 10_000, now: () => now, random: () => 0 });
    heartbeat();
  });

  it('gets a bounded number of starts, and the rest as it answers', async () => {
    requests(300);
    await turn();
    expect(sent).toHaveLength(WINDOW);
    answer(50);
    await turn();
    expect(sent).toHaveLength(WINDOW);
    for (let i = 0; i < 10; i += 1) {
      answer(WINDOW);
      await turn();
    }
    expect([sent.length, router.waiting, refused]).toEqual([0, 0, []]);
  });

  it('refuses what exceeds a burst', async () => {
    requests(WINDOW + BURST);
    await turn();
    expect(refused).toEqual([]);
    request();
    await turn();
    expect(refused.length).toBeGreaterThan(0);
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['overloaded']));
    expect(refused[0]?.retryAfterS).toBeGreaterThan(0);
  });

  it('keeps a short queue once it has been behind for a second', async () => {
    requests(300);
    await turn();
    for (now = 20; now < 1_100; now += 20) {
      heartbeat();
      answer(5);
      requests(10);
      await turn();
    }
    expect(refused.length).toBeGreaterThan(0);
    expect(router.waiting).toBeLessThanOrEqual(32);
    expect(router.refusal(DEP, KEY)?.code).toBe('overloaded');
  });

  it('takes bursts again after it has caught up', async () => {
    requests(300);
    for (now = 20; now < 1_200; now += 20) {
      requests(10);
      await turn();
      answer(5);
    }
    while (sent.length > 0 || router.waiting > 0) {
      answer(WINDOW);
      await turn();
    }
    expect(router.refusal(DEP, KEY)).toBeNull();
    refused = [];
    heartbeat();
    requests(300);
    await turn();
    expect(refused).toEqual([]);
  });

  it('still takes requests of a key that has none waiting', async () => {
    requests(300);
    for (now = 20; now < 1_200; now += 20) {
      heartbeat();
      requests(10);
      await turn();
      answer(5);
    }
    requests(60);
    await turn();
    const other = 2 as KeyId;
    expect(router.refusal(DEP, other)).toBeNull();
    const before = refused.length;
    request(other);
    await turn();
    expect(refused.length).toBe(before + 1);
    expect(router.refusal(DEP, other)).toBeNull();
  });

  it('takes a burst while others have long waited for slots', async () => {
    heartbeat(256);
    const running: RequestChooser[] = [];
    const accept = (): void => {
      for (const chooser of sent.splice(0)) {
        chooser.accepted(WORKER);
        running.push(chooser);
      }
    };
    requests(300);
    for (await turn(); sent.length > 0; await turn()) accept();
    expect([running.length, router.waiting]).toEqual([256, 44]);
    now = 2_000;
    heartbeat(256);
    // All of them end, and their clients ask again.
    for (const chooser of running.splice(0)) {
      chooser.released(WORKER);
      request();
    }
    for (await turn(); sent.length > 0; await turn()) accept();
    expect([running.length, router.waiting, refused]).toEqual([256, 44, []]);
  });

  it('is no reason to refuse when its slots are what is missing', async () => {
    heartbeat(8);
    requests(40);
    await turn();
    now = 5_000;
    expect(router.refusal(DEP, 2 as KeyId)).toBeNull();
    expect([sent.length, router.waiting, refused.length]).toEqual([8, 32, 0]);
  });
});
