import type { WitnessCheck } from '@slipway/contracts';
import { z } from 'zod';
import { loadFault, scoreFault } from './adapter-refusal.js';
import {
  type AdapterPlace,
  type AdapterRequest,
  type AdapterServer,
  askJson,
  FRESH_MS,
  isListed,
  type TokenScore,
  tokenScore,
} from './adapter-server.js';

/** Log probability, token and text. */
const Score = z.tuple([z.number().nullable(), z.number()]).rest(z.unknown());
const Scored = z.object({
  meta_info: z.object({
    input_token_logprobs: z.array(Score),
    /** The most likely tokens at each place; null where there is nothing before. */
    input_top_logprobs: z.array(z.array(Score).nullable()).nullish(),
  }),
});

/**
 * SGLang: adapters are loaded by a call, and named by a field or behind a colon. It checks no names of models, and without
 * `--enable-lora` some versions ignore both: only its list and its stored answers show what it serves.
 */
export class SglangAdapters implements AdapterServer {
  readonly freshMs = FRESH_MS;

  constructor(private readonly place: AdapterPlace) {}

  find(signal: AbortSignal): Promise<boolean> {
    return isListed(this.place, signal);
  }

  async load(signal: AbortSignal): Promise<void> {
    const { client, name, folder } = this.place;
    const answer = await askJson(client, '/../load_lora_adapter', { body: { lora_name: name, lora_path: folder }, signal });
    if (answer.status !== 200 && !/already (exists|loaded)/i.test(answer.text)) throw loadFault(answer);
  }

  async unload(signal: AbortSignal): Promise<void> {
    const { client, name } = this.place;
    await askJson(client, '/../unload_lora_adapter', { body: { lora_name: name }, signal });
  }

  request(): AdapterRequest {
    const { base, name } = this.place;
    // Older versions read the field alone, newer ones prefer what stands behind the colon.
    const model = `${base}:${name}`;
    return { model, fields: { lora_path: name }, answersAs: model };
  }

  async score({ prompt, answer }: WitnessCheck, signal: AbortSignal): Promise<readonly TokenScore[]> {
    const { client, name } = this.place;
    const body = {
      input_ids: [...prompt, ...answer],
      sampling_params: { temperature: 0, max_new_tokens: 1 },
      return_logprob: true,
      // The first one of what it gives has none: there is nothing before it.
      logprob_start_len: prompt.length - 1,
      top_logprobs_num: 1,
      lora_path: name,
      stream: false,
    };
    const said = await askJson(client, '/../generate', { body, signal });
    const info = Scored.safeParse(said.json).data?.meta_info;
    if (said.status !== 200 || !info) throw scoreFault(said);
    const own = info.input_token_logprobs.slice(-answer.length);
    const tops = info.input_top_logprobs?.slice(-answer.length);
    return answer.map((token, i) => {
      const [logprob = null, named] = own[i] ?? [];
      if (logprob === null || named !== token) return { logprob: -Infinity, isGreedy: false };
      return tokenScore(logprob, tops?.[i]?.[0]?.[0] ?? null);
    });
  }
}
