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

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Steps that the gate let pass together; all of a batch end at once. */
class Batches {
  readonly all: string[][] = [];
  #open: { names: string[]; ended: ReturnType<typeof deferred> } | null = null;

  readonly step = (name: string) => (): Promise<void> => {
    this.#open ??= { names: [], ended: deferred() };
    this.#open.names.push(name);
    return this.#open.ended.promise;
  };

  /** Ends the batch that runs, and waits for the next one. */
  async end(): Promise<void> {
    const batch = this.#open;
    this.#open = null;
    this.all.push(batch?.names.toSorted() ?? []);
    batch?.ended.resolve();
    for (let i = 0; i < 3; i += 1) await turn();
  }
}

describe('BatchGate', () => {
  it('delays steps until all changes are done', async () => {
    const gate = new BatchGate(8);
    const order: string[] = [];
    const [first, second] = [deferred(), deferred()];
    const changes = [gate.change(() => first.promise), gate.change(() => second.promise)];
    const step = gate.step(1, async () => void order.push('step'));
    first.resolve();
    await changes[0];
    order.push('first');
    second.resolve();
    await changes[1];
    await step;
    expect(order).toEqual(['first', 'step']);
  });

  it('lets steps pass after a failed change, and after a failed step', async () => {
    const gate = new BatchGate(8);
    await expect(gate.change(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(gate.step(1, () => Promise.reject(new Error('nor this')))).rejects.toThrow('nor this');
    await expect(gate.step(1, () => Promise.resolve('passed'))).resolves.toBe('passed');
  });

  it('computes answers together that began one after another', async () => {
    const gate = new BatchGate(8);
    const batches = new Batches();
    const answer = async (name: string): Promise<void> => {
      for (let i = 0; i < 4; i += 1) await gate.step(1, batches.step(name));
    };
    const answers = [answer('a')];
    await turn();
    answers.push(answer('b'));
    for (let i = 0; i < 5; i += 1) await batches.end();
    await Promise.all(answers);
    expect(batches.all).toEqual([['a'], ['a', 'b'], ['a', 'b'], ['a', 'b'], ['b']]);
  });

  it('lets answers pass before prompts, and prompts as far as they fit', async () => {
    const gate = new BatchGate(10);
    const batches = new Batches();
    const steps = [gate.step(1, batches.step('first'))];
    for (const [name, tokens] of [
      ['p', 6],
      ['q', 6],
      ['r', 3],
      ['a', 1],
    ] as const)
      steps.push(gate.step(tokens, batches.step(name)));
    for (let i = 0; i < 3; i += 1) await batches.end();
    await Promise.all(steps);
    expect(batches.all).toEqual([['first'], ['a', 'p', 'r'], ['q']]);
  });

  it('lets a step pass that is larger than a batch', async () => {
    const gate = new BatchGate(4);
    await expect(gate.step(9, () => Promise.resolve('passed'))).resolves.toBe('passed');
    const batches = new Batches();
    const steps = [gate.step(1, batches.step('first')), gate.step(9, batches.step('large')), gate.step(9, batches.step('second'))];
    for (let i = 0; i < 3; i += 1) await batches.end();
    await Promise.all(steps);
    expect(batches.all).toEqual([['first'], ['large'], ['second']]);
  });

  it('runs a change between two batches', async () => {
    const gate = new BatchGate(8);
    const batches = new Batches();
    const changed = deferred();
    const steps = [gate.step(1, batches.step('a'))];
    const change = gate.change(() => changed.promise);
    steps.push(gate.step(1, batches.step('b')));
    await batches.end();
    expect(batches.all).toEqual([['a']]);
    changed.resolve();
    await change;
    await turn();
    await batches.end();
    await Promise.all(steps);
    expect(batches.all).toEqual([['a'], ['b']]);
  });
});
