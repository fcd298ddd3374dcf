import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { answerInWords } from './scripted-runner.js';
import { serve, type Served } from './serve.js';

type Failure = InstanceType<typeof OpenAI.APIError>;

/** What a piece of work fails with. @throws Error when it does not fail */
export async function failureOf(work: PromiseLike<unknown>): Promise<Failure> {
  try {
    await work;
  } catch (error) {
    return error as Failure;
  }
  throw new Error('It did not fail.');
}

/** OpenAI's SDK at a served deployment, whose runner answers in words when a test begins. */
export class OfficialSdk {
  #served: Served | undefined;

  /** Serves for all tests of a `describe`. */
  static around(): OfficialSdk {
    const sdk = new OfficialSdk();
    beforeAll(async () => {
      sdk.#served = await serve();
    });
    afterAll(() => sdk.#served?.rig.end());
    afterEach(() => {
      sdk.runner.script = answerInWords;
    });
    return sdk;
  }

  get rig(): Served['rig'] {
    return this.served.rig;
  }

  get runner(): Served['runner'] {
    return this.served.runner;
  }

  get account(): Served['account'] {
    return this.served.account;
  }

  get slug(): string {
    return this.served.slug;
  }

  /** @param path slug or alias; absent = the slug */
  client(path = this.slug, apiKey = this.served.key): OpenAI {
    return new OpenAI({ baseURL: `${this.served.gw.url}/${path}/v1`, apiKey, maxRetries: 0 });
  }

  get served(): Served {
    if (!this.#served) throw new Error('It is served only while tests run.');
    return this.#served;
  }
}
