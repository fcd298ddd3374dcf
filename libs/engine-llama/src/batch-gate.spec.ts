import { describe, expect, it } from 'vitest';
import { BatchGate } from './batch-gate.js';

/** A promise that the test settles. */
function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

describe('BatchGate', () => {
  it('delays steps until all changes are done', async () => {
    const gate = new BatchGate();
    const order: string[] = [];
    const [first, second] = [deferred(), deferred()];
    const changes = [gate.change(() => first.promise), gate.change(() => second.promise)];
    const step = gate.pass().then(() => order.push('step'));
    first.resolve();
    await changes[0];
    order.push('first');
    second.resolve();
    await changes[1];
    await step;
    expect(order).toEqual(['first', 'step']);
  });

  it('lets steps pass after a failed change', async () => {
    const gate = new BatchGate();
    await expect(gate.change(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(gate.pass()).resolves.toBeUndefined();
  });
});
