import { createHook } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectGarbage, freeGarbageAtRest, noteRelayed } from './heap.js';

/** An object that nothing holds. */
const garbage = (): WeakRef<object> => new WeakRef({ bytes: new Uint8Array(1_000) });

describe('the garbage of a start', () => {
  // In the first collection of this process, which is the one that holds the object.
  it('keeps one object of process.nextTick, which stays fast', async () => {
    const ticks: WeakRef<object>[] = [];
    const hook = createHook({ init: (_id, type, _trigger, resource) => type === 'TickObject' && ticks.push(new WeakRef(resource)) });
    hook.enable();
    process.nextTick(() => undefined);
    await new Promise<void>((resolve) => collectGarbage(resolve));
    hook.disable();
    await new Promise<void>((resolve) => collectGarbage(resolve));
    expect(ticks.length).toBeGreaterThan(1);
    expect(ticks.filter((tick) => tick.deref() !== undefined)).toHaveLength(1);
  });

  it('is collected, and the process runs on', async () => {
    const left = garbage();
    await new Promise<void>((resolve) => collectGarbage(resolve));
    expect(left.deref()).toBeUndefined();
  });

  it('is collected once the process is at rest', async () => {
    const left = garbage();
    const end = freeGarbageAtRest(20);
    await expect.poll(() => left.deref() === undefined).toBe(true);
    end();
  });

  it('is collected again after the heap has grown', async () => {
    const end = freeGarbageAtRest(20);
    const first = garbage();
    await expect.poll(() => first.deref() === undefined).toBe(true);
    const second = garbage();
    const burst = Array.from({ length: 300_000 }, (_, i) => ({ i }));
    expect(burst).toHaveLength(300_000);
    await expect.poll(() => second.deref() === undefined).toBe(true);
    end();
  });

  it('stays while the process works', async () => {
    const left = garbage();
    const end = freeGarbageAtRest(20);
    // As a busy event loop: less than a tenth of its time is left to wait.
    for (const over = performance.now() + 300; performance.now() < over; await delay(0)) {
      for (const busy = performance.now() + 15; performance.now() < busy;);
    }
    expect(left.deref()).toBeDefined();
    end();
  });

  it('stays while the process relays answers', async () => {
    const left = garbage();
    const relaying = setInterval(noteRelayed, 5);
    const end = freeGarbageAtRest(40);
    await delay(300);
    expect(left.deref()).toBeDefined();
    clearInterval(relaying);
    await expect.poll(() => left.deref() === undefined).toBe(true);
    end();
  });
});
