import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { TurnOutbox } from './turn-outbox.js';

function setUp() {
  const sent: number[] = [];
  return { sent, outbox: new TurnOutbox<number>((item) => void sent.push(item)) };
}

describe('what is put into an outbox', () => {
  it('leaves at the end of the turn, all of it and in order', async () => {
    const { sent, outbox } = setUp();
    outbox.put(1);
    await Promise.resolve().then(() => outbox.put(2));
    expect(sent).toEqual([]);
    await turn();
    expect(sent).toEqual([1, 2]);
    outbox.put(3);
    await turn();
    expect(sent).toEqual([1, 2, 3]);
  });

  it('leaves at once when it is flushed, and only once', async () => {
    const { sent, outbox } = setUp();
    outbox.put(1);
    outbox.flush();
    expect(sent).toEqual([1]);
    outbox.put(2);
    await turn();
    await turn();
    expect(sent).toEqual([1, 2]);
  });

  it('leaves in the next turn when it is put in while others leave', async () => {
    const sent: number[] = [];
    const outbox = new TurnOutbox<number>((item) => {
      sent.push(item);
      if (item === 1) outbox.put(2);
    });
    outbox.put(1);
    await turn();
    await turn();
    expect(sent).toEqual([1, 2]);
  });
});
