import { isServiceError, ServiceError } from '@slipway/contracts';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { AdmissionQueue, NoSlotError } from './admission-queue.js';

const never = new AbortController().signal;
const codeOf = (error: unknown): unknown => (isServiceError(error) ? error.code : error);

describe('AdmissionQueue', () => {
  afterEach(() => vi.useRealTimers());

  it('hands slots to waiters in the order in which they came', async () => {
    const queue = new AdmissionQueue(1, 10);
    const order: string[] = [];
    await queue.enter(never);
    const waiting = ['a', 'b', 'c'].map(async (name) => {
      await queue.enter(never);
      order.push(name);
      queue.leave();
    });
    expect(queue.queued).toBe(3);
    queue.leave();
    await Promise.all(waiting);
    expect(order).toEqual(['a', 'b', 'c']);
    expect([queue.running, queue.queued]).toEqual([0, 0]);
  });

  it('never runs more than its slots', async () => {
    const queue = new AdmissionQueue(3, 100);
    let most = 0;
    const one = async (): Promise<void> => {
      await queue.enter(new AbortController().signal);
      most = Math.max(most, queue.running);
      await Promise.resolve();
      queue.leave();
    };
    await Promise.all(Array.from({ length: 50 }, one));
    expect(most).toBe(3);
    expect(queue.running).toBe(0);
  });

  it('refuses a caller beyond its bound as overloaded, with a time to come back', async () => {
    const queue = new AdmissionQueue(1, 1);
    await queue.enter(never);
    const waiting = queue.enter(never);
    await expect(queue.enter(never)).rejects.toMatchObject({ code: 'overloaded', retryAfterS: 1 });
    queue.leave();
    await expect(waiting).resolves.toBe(true);
  });

  it('queues nothing with a bound of 0', async () => {
    const queue = new AdmissionQueue(1, 0);
    await expect(queue.enter(never)).resolves.toBe(true);
    await expect(queue.enter(never).catch(codeOf)).resolves.toBe('overloaded');
    queue.leave();
    await expect(queue.enter(never)).resolves.toBe(true);
  });

  it('forgets a waiter that gave up, and its place goes to the next', async () => {
    const queue = new AdmissionQueue(1, 2);
    await queue.enter(never);
    const impatient = new AbortController();
    const first = queue.enter(impatient.signal);
    const second = queue.enter(never);
    impatient.abort();
    await expect(first).resolves.toBe(false);
    expect(queue.queued).toBe(1);
    queue.leave();
    await expect(second).resolves.toBe(true);
    expect([queue.running, queue.queued]).toEqual([1, 0]);
  });

  it('refuses a caller that found no slot within a second', async () => {
    vi.useFakeTimers();
    const queue = new AdmissionQueue(1, 2);
    await queue.enter(never);
    const first = queue.enter(never).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(600);
    const second = queue.enter(never);
    await vi.advanceTimersByTimeAsync(400);
    expect(await first).toBeInstanceOf(NoSlotError);
    expect([queue.running, queue.queued]).toEqual([1, 1]);
    queue.leave();
    await expect(second).resolves.toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('gives no slot to a caller that is gone before it asks', async () => {
    const queue = new AdmissionQueue(1, 1);
    await expect(queue.enter(AbortSignal.abort())).resolves.toBe(false);
    expect(queue.running).toBe(0);
  });

  it('refuses waiters and newcomers once it is closed, and leaves holders their slots', async () => {
    const queue = new AdmissionQueue(1, 1);
    await queue.enter(never);
    const waiting = queue.enter(never);
    queue.close(new ServiceError('server_shutting_down', 'Closed.'));
    await expect(waiting.catch(codeOf)).resolves.toBe('server_shutting_down');
    await expect(queue.enter(never).catch(codeOf)).resolves.toBe('server_shutting_down');
    expect(queue.running).toBe(1);
    queue.leave();
    expect(queue.running).toBe(0);
  });
});
