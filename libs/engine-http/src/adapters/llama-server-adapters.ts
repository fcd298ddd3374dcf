import type { WitnessCheck } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { z } from 'zod';
import { scoreFault } from './adapter-refusal.js';
import { type AdapterPlace, type AdapterRequest, type AdapterServer, askJson, type TokenScore } from './adapter-server.js';

const Listed = z.array(z.object({ id: z.int(), path: z.string() }));
const Generated = z.object({
  tokens: z.array(z.int()),
  completion_probabilities: z.array(z.object({ id: z.int(), logprob: z.number() })).catch([]),
});

/**
 * llama-server: adapters are files named at its start, of which each request names those that it wants. One is known by the
 * SHA-256 in its path.
 */
export class LlamaServerAdapters implements AdapterServer {
  /** Numbers of adapters change when it is started with others. */
  readonly freshMs = 0;
  #id: number | null = null;

  constructor(private readonly place: AdapterPlace) {}

  async find(signal: AbortSignal): Promise<boolean> {
    const { client, name } = this.place;
    const { json } = await askJson(client, '/../lora-adapters', { signal });
    this.#id = Listed.safeParse(json).data?.find(({ path }) => path.includes(name))?.id ?? null;
    return this.#id !== null;
  }

  load(): Promise<void> {
    const { name } = this.place;
    const detail = `llama-server loads adapters at its start alone: start it with --lora FILE --lora-init-without-apply, where the file's path has ${name} in it.`;
    return Promise.reject(new EngineLoadError('adapter_missing', detail));
  }

  /** What was named at the start stays. */
  unload(): Promise<void> {
    return Promise.resolve();
  }

  request(): AdapterRequest {
    return { model: this.place.base, fields: this.#fields, answersAs: null };
  }

  /** Those that a request does not name count 0 for it. */
  get #fields(): { readonly lora: readonly { readonly id: number; readonly scale: number }[] } {
    if (this.#id === null) throw new EngineLoadError('adapter_missing', 'The engine does not list the adapter.');
    return { lora: [{ id: this.#id, scale: 1 }] };
  }

  async score({ prompt, answer }: WitnessCheck, signal: AbortSignal): Promise<readonly TokenScore[]> {
    const body = { prompt, n_predict: answer.length, temperature: 0, n_probs: 1, return_tokens: true, stream: false, ...this.#fields };
    const said = await askJson(this.place.client, '/../completion', { body, signal });
    const generated = Generated.safeParse(said.json).data;
    if (said.status !== 200 || !generated) throw scoreFault(said);
    const { tokens, completion_probabilities: given } = generated;
    // It does not name the token that ended its answer.
    const count = tokens.length === answer.length - 1 ? tokens.length : answer.length;
    return answer.slice(0, count).map((token, i) => ({
      isGreedy: tokens[i] === token,
      // After another token the rest is not comparable.
      logprob: given[i]?.id === token ? given[i].logprob : null,
    }));
  }
}
