import { createLogger } from '../log/logger.js';
import { afterEach, describe, expect, it } from 'vitest';
import { ThreadPool, type ThreadTask } from './thread-pool.js';

/** A thread that answers each task with its number after a moment; 1 crashes it and 2 hangs it. */
const SCRIPTED = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, threadId } from 'node:worker_threads';
    parentPort.on('message', (what) => {
      if (what === 1) throw new Error('It broke.');
      if (what === 2) for (;;);
      setTimeout(() => parentPort.postMessage({ outcome: { thread: threadId, what } }), 20);
    });
    parentPort.postMessage({ ready: true });
  `)}`,
);

interface Done {
  readonly thread: number;
  readonly what: number;
}

describe('ThreadPool', () => {
  let pool: ThreadPool;
  const open = (taskMs = 60_000): void => {
    pool = new ThreadPool({ threadUrl: SCRIPTED, threads: 4, taskMs, log: createLogger('test', 'silent') });
  };
  afterEach(() => pool.close());

  const task = (message: number, account = 1, key = account): ThreadTask => ({
    message,
    transfer: [],
    owner: { account, key },
    isWanted: () => true,
  });
  const run = (message: number, account?: number, key?: number): Promise<Done> => pool.run<Done>(task(message, account, key));

  it('runs four tasks, three of one account', async () => {
    open();
    const one = await Promise.all(Array.from({ length: 12 }, () => run(0)));
    expect(new Set(one.map(({ thread }) => thread)).size).toBe(3);
    const many = await Promise.all(Array.from({ length: 12 }, (_, i) => run(0, i)));
    expect(new Set(many.map(({ thread }) => thread)).size).toBe(4);
  });

  it('serves others while one account floods it', async () => {
    open();
    // A busy machine takes long to start a thread.
    await Promise.all(Array.from({ length: 4 }, (_, i) => run(0, i)));
    const order: number[] = [];
    const note = ({ what }: Done): unknown => order.push(what);
    const greedy = Array.from({ length: 30 }, () => run(10, 1).then(note));
    await run(20, 2).then(note);
    expect(order.filter((what) => what === 10).length).toBeLessThan(10);
    await Promise.all(greedy);
  });

  it('survives a task that crashes its thread', async () => {
    open();
    const killers = Promise.allSettled(Array.from({ length: 5 }, (_, i) => run(1, i)));
    const others = Array.from({ length: 5 }, (_, i) => run(0, i));
    for (const killer of await killers) expect(killer).toMatchObject({ status: 'rejected', reason: { code: 'overloaded' } });
    expect(await Promise.all(others)).toHaveLength(5);
  });

  it('ends only the task that hangs', async () => {
    open(300);
    const stuck = run(2);
    const outcome = stuck.catch((error: unknown) => error);
    expect(await run(0, 2)).toMatchObject({ what: 0 });
    expect(await outcome).toMatchObject({ code: 'overloaded' });
    expect(await run(0)).toMatchObject({ what: 0 });
  });

  it('bounds waiting tasks and skips abandoned ones', async () => {
    open();
    const waiting = Array.from({ length: 3 + 32 }, () => run(0));
    await expect(run(0)).rejects.toMatchObject({ code: 'overloaded' });
    await Promise.all(waiting);
    await expect(pool.run({ ...task(0), isWanted: () => false })).rejects.toMatchObject({ code: 'cancelled' });
  });

  it('takes tasks of others when full', async () => {
    open();
    const greedy = Array.from({ length: 9 * 32 }, (_, i) => run(10, 1, i % 9));
    const outcomes = Promise.allSettled(greedy);
    const others = await Promise.all(Array.from({ length: 5 }, (_, i) => run(20, 2 + i)));
    expect(others.map(({ what }) => what)).toEqual([20, 20, 20, 20, 20]);
    const done = (await outcomes).filter(({ status }) => status === 'fulfilled');
    expect(done.length).toBeGreaterThan(200);
    expect(done.length).toBeLessThan(9 * 32);
  });

  it('fails all tasks when it closes', async () => {
    open();
    const outcomes = Promise.allSettled(Array.from({ length: 6 }, (_, i) => run(2, i)));
    await pool.close();
    expect((await outcomes).map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'rejected'));
    await expect(run(0)).rejects.toMatchObject({ code: 'server_shutting_down' });
  });
});
