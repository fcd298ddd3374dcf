import { randomInt } from 'node:crypto';
import { type Sampling, ServiceError } from '@slipway/contracts';
import { type LlamaModel, type SequenceEvaluateOptions, type Token, TokenBias } from 'node-llama-cpp';
import { z } from 'zod';

/** Sampling of a model where the request has no option. */
export interface SamplingDefaults {
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

const SEEDS = 2 ** 32;
/** Number of generated tokens that penalties consider. */
const PENALTY_WINDOW = 4_096;
/** llama.cpp reads this seed as "random". */
const RANDOM_SEED = SEEDS - 1;

/** Recommendations that newer GGUF files carry as `general.sampling.*`. */
const Recommended = z.object({
  general: z.object({
    sampling: z.object({
      top_k: z.int().nonnegative().optional().catch(undefined),
      top_p: z.number().min(0).max(1).optional().catch(undefined),
      min_p: z.number().min(0).max(1).optional().catch(undefined),
    }),
  }),
});

/**
 * The model's own recommendation, else llama.cpp's defaults (top_k 40, top_p 0.95). Sampling from the whole vocabulary must be
 * requested (`top_k: 0, top_p: 1`), because it sorts all tokens: five times slower with 128,000 tokens. The temperature is always
 * that of the public contract, 1.
 */
export function samplingDefaults(metadata: unknown): SamplingDefaults {
  const recommended = Recommended.safeParse(metadata).data?.general.sampling;
  return { topK: recommended?.top_k ?? 40, topP: recommended?.top_p ?? 0.95, minP: recommended?.min_p ?? 0 };
}

function tokenBias(model: LlamaModel, biases: NonNullable<Sampling['logit_bias']>): TokenBias | undefined {
  const entries = Object.entries(biases);
  if (entries.length === 0) return undefined;
  const vocabulary = model.fileInfo.metadata.tokenizer.ggml.tokens.length;
  const result = new TokenBias(model.tokenizer);
  for (const [id, bias] of entries) {
    const token = Number(id) as Token;
    if (token >= vocabulary) {
      throw new ServiceError('invalid_value', `logit_bias names token ${id}; this model has tokens 0 to ${vocabulary - 1}.`, {
        param: 'logit_bias',
      });
    }
    if (model.isEogToken(token)) {
      throw new ServiceError('unsupported_value', `logit_bias names token ${id}, which ends an answer; its weight cannot be changed.`, {
        param: 'logit_bias',
      });
    }
    result.set(token, bias <= -100 ? 'never' : { logit: bias });
  }
  return result;
}

function repeatPenalty(sampling: Sampling, generated: readonly Token[]): SequenceEvaluateOptions['repeatPenalty'] {
  const { frequency_penalty: frequency = 0, presence_penalty: presence = 0, repetition_penalty: repetition = 1 } = sampling;
  if (frequency === 0 && presence === 0 && repetition === 1) return undefined;
  return {
    // The library counts them for each token, so their number is limited.
    punishTokens: () => generated.slice(-PENALTY_WINDOW),
    maxPunishTokens: PENALTY_WINDOW,
    penalty: repetition,
    frequencyPenalty: frequency,
    presencePenalty: presence,
  };
}

/**
 * Sampling options for llama.cpp. The same request with the same seed gives the same tokens.
 * @param generated grows with the answer; used by penalties.
 * @throws ServiceError with `param: 'logit_bias'` for tokens that cannot be biased.
 */
export function samplingOptions(
  model: LlamaModel,
  sampling: Sampling,
  defaults: SamplingDefaults,
  generated: readonly Token[],
): SequenceEvaluateOptions {
  const seed = sampling.seed ?? randomInt(SEEDS);
  const greedy = sampling.top_p === 0;
  const bias = sampling.logit_bias && tokenBias(model, sampling.logit_bias);
  const penalty = repeatPenalty(sampling, generated);
  return {
    temperature: greedy ? 0 : (sampling.temperature ?? 1),
    topK: sampling.top_k ?? defaults.topK,
    topP: sampling.top_p ?? defaults.topP,
    minP: sampling.min_p ?? defaults.minP,
    seed: seed === RANDOM_SEED ? RANDOM_SEED - 1 : seed,
    ...(bias && { tokenBias: bias }),
    ...(penalty && { repeatPenalty: penalty }),
    yieldEogToken: true,
  };
}
