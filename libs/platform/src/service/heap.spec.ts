import { createHook } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { collectGarbage, freeStartGarbage } from './heap.js';

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
    freeStartGarbage(20);
    await expect.poll(() => left.deref() === undefined).toBe(true);
  });

  it('stays while the process works', async () => {
    const left = garbage();
    freeStartGarbage(20);
    // As a busy event loop: less than a tenth of its time is left to wait.
    for (const end = performance.now() + 300; performance.now() < end; await delay(0)) {
      for (const busy = performance.now() + 15; performance.now() < busy;);
    }
    expect(left.deref()).toBeDefined();
  });
});
