import type { Incarnation } from '@slipway/contracts';
import { expect, it } from 'vitest';
import { CapacityQueue, type Turn } from './capacity-queue.js';

const never = new AbortController().signal;

/** A queue whose requests get a slot one by one, in its order. */
class Slots {
  readonly queue = new CapacityQueue();
  readonly placed: string[] = [];
  #free = 0;

  wait(name: string, turn: Turn, flow = 1): void {
    const attempt = () => ((this.#free -= 1) >= 0 ? { wk: name as Incarnation } : null);
    void this.queue
      .wait({ attempt, hasExclusions: false, signal: never, waitMs: 60_000, flow, cost: 10, turn })
      .then((wk) => this.placed.push(wk));
  }

  async free(slots: number): Promise<void> {
    this.#free = slots;
    this.queue.offer();
    await Promise.resolve();
  }
}

const turn = (): Turn => ({ start: null });

it('a request that comes back waits where it stood', async () => {
  const slots = new Slots();
  const first = turn();
  slots.wait('first', first);
  slots.wait('second', turn());
  await slots.free(1);
  slots.wait('third', turn());
  slots.wait('first again', first);
  await slots.free(3);
  expect(slots.placed).toEqual(['first', 'first again', 'second', 'third']);
});

it('a request that comes back to an empty queue is next', async () => {
  const slots = new Slots();
  const [first, last] = [turn(), turn()];
  slots.wait('first', first);
  slots.wait('last', last);
  await slots.free(2);
  slots.wait('new', turn());
  slots.wait('last again', last);
  await slots.free(2);
  expect(slots.placed).toEqual(['first', 'last', 'last again', 'new']);
});
