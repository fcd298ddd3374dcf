import type { NatsConnection } from '@slipway/platform';
import { expect, it } from 'vitest';
import { Link } from './link.js';

/** A connection that only says what a test has it say. */
class SpokenStatus {
  readonly #waiting: string[] = [];
  #wake: () => void = () => undefined;
  info: { ldm?: boolean } = {};

  /** Resolves once it was heard. */
  async say(type: string): Promise<void> {
    this.#waiting.push(type);
    this.#wake();
    await new Promise(setImmediate);
  }

  async *status(): AsyncGenerator<{ type: string }> {
    for (;;) {
      while (this.#waiting.length === 0) await new Promise<void>((resolve) => (this.#wake = resolve));
      yield { type: this.#waiting.shift() ?? '' };
    }
  }
}

it('a link moves from the notice of its server to the next one', async () => {
  const nats = new SpokenStatus();
  let told = 0;
  const log = { warn: () => undefined };
  const link = new Link({ nats: nats as unknown as NatsConnection, clock: () => 0, log, answerMs: 1_000, onMoves: () => (told += 1) });
  await nats.say('ldm');
  expect([link.moves, told]).toEqual([true, 1]);
  await nats.say('disconnect');
  expect(link.moves).toBe(true);
  await nats.say('reconnect');
  expect([link.moves, told]).toEqual([false, 1]);
});

it('a link to a server that shuts down too still moves', async () => {
  const nats = new SpokenStatus();
  const link = new Link({ nats: nats as unknown as NatsConnection, clock: () => 0, log: { warn: () => undefined }, answerMs: 1_000 });
  for (const type of ['ldm', 'disconnect']) await nats.say(type);
  nats.info = { ldm: true };
  await nats.say('reconnect');
  expect(link.moves).toBe(true);
});
