import type { Capability } from '@slipway/contracts';
import { EngineLoadError } from '@slipway/engine';
import { ChatTemplate, ChatTemplateError, PromptBuilder, type TemplateTokens } from '@slipway/model-text';
import type { LlamaModel, Token } from 'node-llama-cpp';
import { type AnswerFormat, answerFormat } from './answer-format.js';
import { AnswerPlanner } from './answer-plan.js';
import { BatchGate } from './batch-gate.js';
import type { GenerationTools } from './generation.js';
import { GrammarCache } from './grammar-gate.js';
import { GrammarTasks } from './grammar-tasks.js';
import { LlamaTokenizer } from './llama-tokenizer.js';
import type { LoadedModel } from './load-model.js';
import { PrefillPacer } from './prefill.js';
import { samplingDefaults } from './sampling-options.js';
import { SequencePool } from './sequence-pool.js';
import { createTokenBytes } from './token-bytes.js';

/** A loaded model with everything that serving it needs. */
export interface ReadyModel {
  readonly loaded: LoadedModel;
  readonly format: AnswerFormat;
  readonly prompts: PromptBuilder<Token>;
  readonly sequences: SequencePool;
  readonly grammars: GrammarCache;
  readonly planner: AnswerPlanner;
  readonly tasks: GrammarTasks;
  readonly tools: GenerationTools;
  /** Texts that end an answer beside the model's own end tokens. */
  readonly ends: readonly string[];
  /** Tokens that prompt and answer share. */
  readonly context: number;
}

/** @throws EngineLoadError when the model lacks what serving needs. */
export function prepareModel(loaded: LoadedModel): ReadyModel {
  const { llama, model, context } = loaded;
  const { metadata } = model.fileInfo;
  const source = metadata.tokenizer.chat_template;
  const template = parseTemplate(source, { bos: model.tokens.bosString ?? '', eos: model.tokens.eosString ?? '' });
  const format = answerFormat(template);
  const { family, reasoning } = format;
  const { open, close } = reasoning ?? {};
  const tasks = new GrammarTasks();
  const marks = [...(family?.marks ?? []), open, close].filter((mark) => mark !== undefined);
  return {
    loaded,
    format,
    prompts: new PromptBuilder(new LlamaTokenizer(model), template, format.facts, context.contextSize),
    sequences: new SequencePool(context),
    grammars: new GrammarCache(llama, model),
    planner: new AnswerPlanner(family, tasks),
    tasks,
    ends: template.ends,
    context: context.contextSize,
    tools: {
      model,
      bytes: createTokenBytes(model, marks),
      pacer: new PrefillPacer(),
      gate: new BatchGate(),
      defaults: samplingDefaults(metadata),
      faultOf: (schema, text) => tasks.faultOf(schema, text),
      endTokens: endTokensOf(model),
    },
  };
}

function parseTemplate(source: string | undefined, tokens: TemplateTokens): ChatTemplate {
  try {
    return ChatTemplate.parse(source, tokens);
  } catch (error) {
    if (error instanceof ChatTemplateError) throw new EngineLoadError('model_invalid', error.message, { cause: error });
    throw error;
  }
}

function endTokensOf(model: LlamaModel): ReadonlySet<Token> {
  const ends = new Set<Token>();
  for (const token of model.iterateAllTokens()) if (model.isEogToken(token)) ends.add(token);
  return ends;
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
