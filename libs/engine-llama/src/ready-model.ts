import type { Capability } from '@slipway/contracts';
import { PromptBuilder } from '@slipway/model-text';
import type { Token } from 'node-llama-cpp';
import { BatchGate } from './batch-gate.js';
import type { GenerationTools } from './generation.js';
import type { LoadedModel } from './load-model.js';
import type { ModelParts } from './model-parts.js';
import { PrefillPacer } from './prefill.js';
import { SequencePool } from './sequence-pool.js';

/** A loaded model with everything that serving it needs. */
export interface ReadyModel extends ModelParts {
  readonly loaded: LoadedModel;
  readonly prompts: PromptBuilder<Token>;
  readonly sequences: SequencePool;
  readonly tools: GenerationTools;
  /** Tokens that prompt and answer share. */
  readonly context: number;
}

/** @throws EngineLoadError when the model lacks what serving needs. */
export function prepareModel(loaded: LoadedModel): ReadyModel {
  const { base, context } = loaded;
  const { parts, model } = base;
  const { tokenizer, template, format, bytes, defaults, endTokens, tasks } = parts;
  return {
    ...parts,
    loaded,
    prompts: new PromptBuilder(tokenizer, template, format.facts, context.contextSize),
    sequences: new SequencePool(context, base.gpu !== false),
    context: context.contextSize,
    tools: {
      ...{ model, bytes, defaults, endTokens },
      pacer: new PrefillPacer(),
      gate: new BatchGate(context.batchSize),
      faultOf: (schema, text) => tasks.faultOf(schema, text),
    },
  };
}

const ALWAYS: readonly Capability[] = [
  'cached_tokens',
  'choice',
  'exact_count',
  'exact_usage',
  'grammar',
  'ignore_eos',
  'json_object',
  'json_schema',
  'logit_bias',
  'logprobs',
  'min_p',
  'min_tokens',
  'n',
  'regex',
  'repetition_penalty',
  'seed',
  'stop_sequence',
  'stop_token_ids',
  'top_k',
];

/** What a model can do by itself and by its chat template. */
export function capabilitiesOf({ format: { facts, family } }: ReadyModel): Capability[] {
  const ofTemplate: readonly [boolean, readonly Capability[]][] = [
    [family !== null, ['tools', 'tool_choice']],
    [facts.canContinue, ['continue_final']],
    [facts.steersReasoning, ['reasoning']],
    [facts.ownTemplate, ['template_args']],
  ];
  return [...ALWAYS, ...ofTemplate.flatMap(([can, words]) => (can ? words : []))].toSorted();
}
