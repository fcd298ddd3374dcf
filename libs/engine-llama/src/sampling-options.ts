import { randomInt } from 'node:crypto';
import { type Sampling, ServiceError } from '@slipway/contracts';
import { type LlamaModel, type SequenceEvaluateOptions, type Token, TokenBias } from 'node-llama-cpp';
import { z } from 'zod';

/** What a model samples with where the caller says nothing. */
export interface SamplingDefaults {
  readonly topK: number;
  readonly topP: number;
  readonly minP: number;
}

const SEEDS = 2 ** 32;
/** Penalties look at this many generated tokens. */
const PENALTY_WINDOW = 4_096;
/** llama.cpp takes this seed for "roll one". */
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
 * The model's own recommendation, else what llama.cpp samples with (top_k 40, top_p 0.95). Sampling from the
 * whole vocabulary is there for the asking (`top_k: 0, top_p: 1`) but costs a full sort per token, which is
 * five times slower with 128,000 tokens. Temperature is no model's choice: the public contract says 1.
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
    // The library counts them again for each token, so there must be a limit.
    punishTokens: () => generated.slice(-PENALTY_WINDOW),
    maxPunishTokens: PENALTY_WINDOW,
    penalty: repetition,
    frequencyPenalty: frequency,
    presencePenalty: presence,
  };
}

/**
 * Sampling as llama.cpp understands it. The same request with the same seed gives the same tokens.
 * @param generated grows with the answer; penalties look at it.
 * @throws ServiceError with `param: 'logit_bias'` for tokens that cannot be weighted.
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
