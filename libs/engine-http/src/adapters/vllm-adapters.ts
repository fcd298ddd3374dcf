import type { WitnessCheck } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
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

const Refused = z.object({ error: z.unknown() });
const Scores = z.record(z.string(), z.object({ logprob: z.number(), rank: z.number().nullish() }));
const Scored = z.object({
  model: z.string(),
  choices: z.array(z.object({ prompt_logprobs: z.array(Scores.nullable()) })).min(1),
});

/** vLLM: adapters are models beside their base, loaded by a call, or on first use by a plug-in that finds them in the folder. */
export class VllmAdapters implements AdapterServer {
  readonly freshMs = FRESH_MS;

  constructor(private readonly place: AdapterPlace) {}

  find(signal: AbortSignal): Promise<boolean> {
    return isListed(this.place, signal);
  }

  async load(signal: AbortSignal): Promise<void> {
    const { client, name, folder } = this.place;
    const answer = await askJson(client, '/load_lora_adapter', { body: { lora_name: name, lora_path: folder }, signal });
    if (answer.status === 200) return;
    // The route is there only where adapters may be loaded by a call; its own refusals have an `error`.
    const isUnknown = (answer.status === 404 || answer.status === 405) && Refused.safeParse(answer.json).data?.error === undefined;
    if (isUnknown) return this.#resolve(signal);
    if (!/already been loaded/i.test(answer.text)) throw loadFault(answer);
  }

  async unload(signal: AbortSignal): Promise<void> {
    const { client, name } = this.place;
    await askJson(client, '/unload_lora_adapter', { body: { lora_name: name }, signal });
  }

  request(): AdapterRequest {
    const { name } = this.place;
    return { model: name, fields: {}, answersAs: name };
  }

  async score({ prompt, answer }: WitnessCheck, signal: AbortSignal): Promise<readonly TokenScore[]> {
    const { client, name } = this.place;
    const body = { model: name, prompt: [...prompt, ...answer], max_tokens: 1, temperature: 0, prompt_logprobs: 1, stream: false };
    const said = await askJson(client, '/completions', { body, signal });
    const scored = Scored.safeParse(said.json).data;
    if (said.status !== 200 || !scored) throw scoreFault(said);
    if (scored.model !== name) throw new EngineLoadError('adapter_missing', 'The engine answers as another model than the adapter.');
    const all = scored.choices[0]?.prompt_logprobs.slice(-answer.length) ?? [];
    return answer.map((token, i) => scoreOf(all[i] ?? null, token));
  }

  /** A request for an unknown model has the plug-in look for a folder of its name. */
  async #resolve(signal: AbortSignal): Promise<void> {
    const { client, name } = this.place;
    const answer = await askJson(client, '/completions', { body: { model: name, prompt: [0], max_tokens: 1, stream: false }, signal });
    if (answer.status === 200) return;
    if (answer.status !== 404) throw loadFault(answer);
    throw new EngineLoadError(
      'engine_refused',
      'The engine loads no adapters while it runs: start vLLM with --enable-lora and VLLM_ALLOW_RUNTIME_LORA_UPDATING=True, or with the plug-in lora_filesystem_resolver on ADAPTER_EXPORT_DIR.',
    );
  }
}

function scoreOf(scores: z.infer<typeof Scores> | null, token: number): TokenScore {
  const own = scores?.[String(token)];
  if (!scores || !own) return { logprob: -Infinity, isGreedy: false };
  return tokenScore(own.logprob, Math.max(...Object.values(scores).map(({ logprob }) => logprob)));
}
