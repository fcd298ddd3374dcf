import { setTimeout as delay } from 'node:timers/promises';
import { ask, type Call } from './client-answer.js';

/** Time after which a refused client asks again, in milliseconds. */
const AGAIN_MS = 100;

/** Clients that ask for one stream after the other until they are told to leave. */
export class ClientCrowd {
  /** Streams that ended as they should. */
  whole = 0;
  /** What went wrong once a stream had begun, as clients saw it. */
  readonly broken: string[] = [];
  readonly #asking: Promise<void>[];
  #isOver = false;

  /** @param gateways each client asks one of them */
  constructor(call: Omit<Call, 'gateway' | 'stream'>, clients: number, gateways: readonly string[]) {
    this.#asking = Array.from({ length: clients }, (_, n) => this.#ask({ ...call, stream: true, gateway: gateways[n % gateways.length]! }));
  }

  /** Resolves when the last streams have ended. */
  async leave(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#asking);
  }

  async #ask(call: Call): Promise<void> {
    while (!this.#isOver) {
      const { status, body } = await ask(call).catch((error: unknown) => ({ status: 0, body: String(error) }));
      if (status === 200 && body.includes('[DONE]')) this.whole += 1;
      else if (status === 503 || status === 429) await delay(AGAIN_MS);
      else this.broken.push(`${status} ${body.slice(-200)}`);
    }
  }
}
