import { EngineLoadError } from '@slipway/engine';
import { ChatTemplate, ChatTemplateError, type TemplateTokens } from '@slipway/model-text';
import type { Llama, LlamaModel, Token } from 'node-llama-cpp';
import { type AnswerFormat, answerFormat } from './answer-format.js';
import { AnswerPlanner } from './answer-plan.js';
import type { GenerationTools } from './generation.js';
import { GrammarCache } from './grammar-gate.js';
import { GrammarTasks } from './grammar-tasks.js';
import { LlamaTokenizer } from './llama-tokenizer.js';
import { samplingDefaults } from './sampling-options.js';
import { createTokenBytes } from './token-bytes.js';

/** What serving needs of a model and all its contexts share: it takes megabytes, and time that grows with the vocabulary. */
export interface ModelParts extends Pick<GenerationTools, 'bytes' | 'defaults' | 'endTokens'> {
  readonly template: ChatTemplate;
  readonly format: AnswerFormat;
  readonly tokenizer: LlamaTokenizer;
  readonly grammars: GrammarCache;
  readonly planner: AnswerPlanner;
  readonly tasks: GrammarTasks;
  /** Texts that end an answer beside the model's own end tokens. */
  readonly ends: readonly string[];
}

/** @throws EngineLoadError when the model has no usable chat template */
export function modelParts(llama: Llama, model: LlamaModel): ModelParts {
  const { metadata } = model.fileInfo;
  const source = metadata.tokenizer.chat_template;
  const template = parseTemplate(source, { bos: model.tokens.bosString ?? '', eos: model.tokens.eosString ?? '' });
  const format = answerFormat(template);
  const { family, reasoning } = format;
  const { open, close } = reasoning ?? {};
  const tasks = new GrammarTasks();
  const marks = [...(family?.marks ?? []), open, close].filter((mark) => mark !== undefined);
  return {
    ...{ template, format, tasks },
    tokenizer: new LlamaTokenizer(model),
    grammars: new GrammarCache(llama, model),
    planner: new AnswerPlanner(family, tasks),
    ends: template.ends,
    bytes: createTokenBytes(model, marks),
    defaults: samplingDefaults(metadata),
    endTokens: endTokensOf(model),
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
