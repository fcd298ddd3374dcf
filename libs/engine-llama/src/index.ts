/**
 * GGUF models, run by llama.cpp in the process that loads them.
 * @packageDocumentation
 */
export { LlamaEngine } from './llama-engine.js';
export { llamaKind } from './llama-kind.js';
export { LlamaEmbedder } from './llama-embedder.js';
export { modelHashes } from './model-hashes.js';
export type { ModelHashes } from './model-hashes.js';
export { readModelFacts } from './model-facts.js';
export type { ModelFacts } from './model-facts.js';
export { capabilitiesOf } from './ready-model.js';
export type { ReadyModel } from './ready-model.js';
export { LlamaScorer } from './llama-scorer.js';
export type { AdapterScorer, GreedyAnswer, ModelTexts, ScorerOptions } from './llama-scorer.js';
export { jsonSchemaRules } from './grammar/json-schema-grammar.js';
