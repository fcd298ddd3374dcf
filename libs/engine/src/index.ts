/**
 * What an engine is to those who run it: the interface, how engines are made, and what all engines need for it.
 * @packageDocumentation
 */
export { EngineLoadError } from './engine.js';
export type {
  Engine,
  EngineAdapter,
  EngineFacts,
  EngineLoad,
  EngineOutput,
  EngineProgram,
  EngineSettings,
  ExportedAdapter,
  TokenCount,
  UnreadRequest,
} from './engine.js';
export type { EngineKind } from './engine-kind.js';
export { AdmissionQueue, NoSlotError } from './admission-queue.js';
export { StopMatcher } from './stop-matcher.js';
export type { StopMatch } from './stop-matcher.js';
export { WholeCharacters } from './stop-matcher.js';
export { Utf8Assembler } from './utf8-assembler.js';
export { estimateTokens, factsOf, IMAGE_TOKENS, LazyFacts, promptBytes, textsOf } from './prompt-text.js';
export type { RequestFacts } from './prompt-text.js';
export { BYTES_PER_TOKEN, makesEmbeddings, textTooLong, vectorText } from './embedding.js';
export { embeddingShape, hasSoundMetadata, isEmbeddingModel } from './gguf-metadata.js';
export { fingerprint } from './fingerprint.js';
export { newCallId } from './call-id.js';
export { isJsonObject } from './json-object.js';
