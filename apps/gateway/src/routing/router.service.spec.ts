import type { DeploymentId, Heartbeat, Incarnation, KeyId, ServiceError } from '@slipway/contracts';
import type { Refusal, WorkerChooser } from '@slipway/stream-transport';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Router } from './router.service.js';
import { WorkerTable } from './worker-table.js';

const DEP = 1 as DeploymentId;
const NONE: ReadonlySet<Incarnation> = new Set();
const READY = { dep: DEP, rev: 1, fp: 'f', state: 'ready', slots: 1, used: 0, queued: 0, proto: ['1.0', '1.0'], caps: [], zone: null };
const wk = (name: string): Incarnation => name as Incarnation;

describe('the router', () => {
  let now: number;
  let reports: number;
  let table: WorkerTable;
  let router: Router;

  const heartbeat = (name: string, changes: Partial<Heartbeat> = {}): void => {
    reports += 1;
    router.onHeartbeat({ ...READY, wk: wk(name), n: reports, ...changes } as Heartbeat);
  };
  const chooser = (affinity = 0, rev = 1): WorkerChooser =>
    router.chooserFor({ deployment: DEP, rev, affinity, key: 1 as KeyId, cost: 10 });
  const chooserOf = (key: number, cost = 10): WorkerChooser =>
    router.chooserFor({ deployment: DEP, rev: 1, affinity: 0, key: key as KeyId, cost });
  const choose = (who: WorkerChooser = chooser(), excluded = NONE, stream = new AbortController()): Promise<Incarnation> =>
    who.choose(excluded, stream);
  const codeOf = async (choice: Promise<Incarnation>): Promise<string> =>
    choice.then(
      (name) => `chose ${name}`,
      (error: unknown) => (error as ServiceError).code,
    );

  beforeEach(() => {
    vi.useFakeTimers();
    now = 0;
    reports = 0;
    table = new WorkerTable(() => now);
    router = new Router({ table, queueWaitMs: 10_000, now: () => now, random: () => 0 });
  });
  afterEach(() => vi.useRealTimers());

  it('has no target while no runner is ready', async () => {
    expect(await codeOf(choose())).toBe('deployment_unavailable');
    heartbeat('a', { state: 'starting' });
    expect(await codeOf(choose())).toBe('deployment_unavailable');
    heartbeat('a', { state: 'draining' });
    expect(await codeOf(choose())).toBe('deployment_unavailable');
  });

  it('trusts a runner for three heartbeat intervals', async () => {
    heartbeat('a');
    now = 3_000;
    expect(await choose()).toBe('a');
    now = 3_001;
    expect(await codeOf(choose())).toBe('deployment_unavailable');
  });

  it('counts its own starts between heartbeats', async () => {
    heartbeat('a', { slots: 2, used: 1 });
    expect(await choose()).toBe('a');
    const waiting = codeOf(choose());
    expect(router.waiting).toBe(1);
    heartbeat('a', { slots: 2, used: 1 });
    expect(await waiting).toBe('chose a');
  });

  it('reports running and waiting requests of each deployment', async () => {
    expect(router.loads()).toEqual(new Map());
    heartbeat('a');
    const first = chooser();
    await choose(first);
    const second = choose();
    expect(router.loads()).toEqual(new Map([[DEP, { inFlight: 1, queued: 1 }]]));
    first.released(wk('a'));
    await second;
    expect(router.loads()).toEqual(new Map([[DEP, { inFlight: 1, queued: 0 }]]));
  });

  it('gives a freed slot to the first waiting request', async () => {
    heartbeat('a');
    const first = chooser();
    await choose(first);
    const order: string[] = [];
    const second = choose().then(() => order.push('second'));
    const third = choose().then(() => order.push('third'));
    first.released(wk('a'));
    await second;
    expect(order).toEqual(['second']);
    heartbeat('a', { used: 0 });
    expect(router.waiting).toBe(1);
    heartbeat('b');
    await third;
    expect(order).toEqual(['second', 'third']);
  });

  it('frees no slot when a queued request leaves', async () => {
    heartbeat('a');
    const raced = chooser();
    await choose(raced);
    // Another gateway was faster, so this request waits in the runner.
    heartbeat('a', { used: 1, queued: 1 });
    raced.released(wk('a'));
    const next = codeOf(choose());
    expect(router.waiting).toBe(1);
    heartbeat('a', { used: 1, queued: 0 });
    expect(router.waiting).toBe(1);
    heartbeat('a');
    expect(await next).toBe('chose a');
  });

  it('fails with a hint after waiting 10 s', async () => {
    heartbeat('a', { used: 1 });
    const waiting = codeOf(choose());
    await vi.advanceTimersByTimeAsync(9_999);
    expect(router.waiting).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(await waiting).toBe('overloaded');
    expect(router.waiting).toBe(0);
  });

  it('refuses at once when four wait for each slot', async () => {
    heartbeat('a', { slots: 2, used: 2 });
    const waiting = Array.from({ length: 8 }, () => codeOf(choose()));
    expect(await codeOf(choose())).toBe('overloaded');
    await vi.advanceTimersByTimeAsync(10_000);
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(['overloaded']));
  });

  it('gives no slot to a client that left', async () => {
    heartbeat('a', { used: 1 });
    const leaving = new AbortController();
    const gone = codeOf(choose(chooser(), NONE, leaving));
    const staying = codeOf(choose());
    leaving.abort();
    expect(await gone).toBe('cancelled');
    heartbeat('a');
    expect(await staying).toBe('chose a');
    expect(table.worker(DEP, wk('a'))?.inFlight).toBe(1);
  });

  it('fails waiting requests when the last runner is gone', async () => {
    heartbeat('a', { used: 1 });
    const waiting = codeOf(choose());
    now = 3_001;
    router.sweep();
    expect(await waiting).toBe('deployment_unavailable');
  });

  it('does not go back to an excluded runner', async () => {
    heartbeat('a');
    heartbeat('b');
    expect(await choose(chooser(), new Set([wk('a')]))).toBe('b');
    expect(await codeOf(choose(chooser(), new Set([wk('a'), wk('b')])))).toBe('deployment_unavailable');
  });

  it('serves requests behind one that excludes free runners', async () => {
    heartbeat('a', { used: 1 });
    heartbeat('b', { used: 1 });
    const hasExclusions = codeOf(choose(chooser(), new Set([wk('b')])));
    const easy = codeOf(choose());
    heartbeat('b');
    expect(await easy).toBe('chose b');
    heartbeat('a');
    expect(await hasExclusions).toBe('chose a');
  });

  it.each<Refusal>([{ kind: 'rejected', code: 'busy', used: 1, slots: 1 }, { kind: 'full' }])(
    'after %j it waits for room',
    async (refusal) => {
      heartbeat('a');
      const who = chooser();
      await choose(who);
      who.refused(wk('a'), refusal);
      who.released(wk('a'));
      const again = codeOf(choose(who));
      // The release freed this gateway's count, not the slot of the faster gateway.
      heartbeat('a', { used: 1 });
      expect(router.waiting).toBe(1);
      heartbeat('a', { used: 0 });
      expect(await again).toBe('chose a');
    },
  );

  it.each<Refusal>([
    { kind: 'absent' },
    { kind: 'rejected', code: 'draining', used: 0, slots: 1 },
    { kind: 'rejected', code: 'not_here', used: 0, slots: 1 },
    { kind: 'silent' },
  ])('skips a runner after %j until its next heartbeat', async (refusal) => {
    heartbeat('a');
    const who = chooser();
    await choose(who);
    who.refused(wk('a'), refusal);
    who.released(wk('a'));
    expect(await codeOf(choose())).toBe('deployment_unavailable');
    heartbeat('a');
    expect(await codeOf(choose())).toBe('chose a');
  });

  it('skips a runner for 5 s after five failures', async () => {
    for (let i = 0; i < 5; i += 1) {
      heartbeat('a', { slots: 9 });
      const who = chooser();
      await choose(who);
      who.refused(wk('a'), { kind: 'silent' });
      who.released(wk('a'));
    }
    heartbeat('a', { slots: 9 });
    expect(table.candidates(DEP, 1, NONE)).toEqual([]);
    now = 5_000;
    heartbeat('a', { slots: 9 });
    const last = router.chooserFor({ deployment: DEP, rev: 1, affinity: 0, key: 1 as KeyId, cost: 10 });
    expect(await choose(last)).toBe('a');
    expect(table.candidates(DEP, 1, NONE)).toEqual([]);
    last.accepted(wk('a'));
    expect(table.candidates(DEP, 1, NONE)).toHaveLength(1);
  });

  it('never counts busy against a runner', async () => {
    for (let i = 0; i < 9; i += 1) {
      heartbeat('a', { slots: 9 });
      const who = chooser();
      await choose(who);
      who.refused(wk('a'), { kind: 'rejected', code: 'busy', used: 9, slots: 9 });
      who.released(wk('a'));
    }
    heartbeat('a', { slots: 9 });
    expect(await choose()).toBe('a');
  });

  it('ignores a heartbeat older than the last', async () => {
    heartbeat('a', { n: 10, used: 1 });
    heartbeat('a', { n: 9, used: 0 });
    expect(table.worker(DEP, wk('a'))?.free).toBe(0);
  });

  it('requests a new revision once a runner has it', () => {
    const facts = { id: DEP, rev: 2 } as never;
    heartbeat('old', { rev: 1 });
    expect(router.revisionOf(facts)).toBe(1);
    heartbeat('new', { rev: 2, state: 'starting' });
    expect(router.revisionOf(facts)).toBe(1);
    heartbeat('new', { rev: 2 });
    expect(router.revisionOf(facts)).toBe(2);
  });

  it('removes lost runners without streams of this gateway', async () => {
    heartbeat('a');
    const who = chooser();
    await choose(who);
    now = 60_000;
    router.sweep();
    expect(table.worker(DEP, wk('a'))).toBeDefined();
    who.released(wk('a'));
    router.sweep();
    expect(table.worker(DEP, wk('a'))).toBeUndefined();
  });

  describe('with more requests than slots', () => {
    let order: string[];
    beforeEach(() => {
      order = [];
    });

    /** A request of a key that has to wait. */
    const wait = (name: string, key: number, cost = 10): void =>
      void choose(chooserOf(key, cost)).then(
        () => order.push(name),
        () => order.push(`${name} refused`),
      );

    /** Frees the one slot repeatedly. @returns the order in which waiting requests get it */
    async function turns(): Promise<string[]> {
      for (let i = 0; i < 5; i += 1) {
        await vi.advanceTimersByTimeAsync(0);
        chooserOf(1).released(wk('a'));
      }
      await vi.advanceTimersByTimeAsync(0);
      return order;
    }

    it('lets keys take turns, however many requests each has', async () => {
      heartbeat('a', { slots: 1 });
      await choose();
      for (const n of [1, 2, 3]) wait(`greedy ${n}`, 1);
      wait('other', 2);
      expect(await turns()).toEqual(['greedy 1', 'other', 'greedy 2', 'greedy 3']);
    });

    it('counts what requests cost: small ones wait less', async () => {
      heartbeat('a', { slots: 1 });
      await choose();
      for (const n of [1, 2]) wait(`large ${n}`, 1, 100);
      for (const n of [1, 2]) wait(`small ${n}`, 2, 10);
      expect(await turns()).toEqual(['large 1', 'small 1', 'small 2', 'large 2']);
    });

    it('makes room by refusing the busiest key’s newest request', async () => {
      heartbeat('a', { slots: 1 });
      await choose();
      for (const n of [1, 2, 3, 4]) wait(`greedy ${n}`, 1);
      expect(await codeOf(choose(chooserOf(1)))).toBe('overloaded');
      wait('other', 2);
      expect(await turns()).toEqual(['greedy 4 refused', 'greedy 1', 'other', 'greedy 2', 'greedy 3']);
    });
  });
});
