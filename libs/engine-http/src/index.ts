/**
 * Models behind servers of the chat-completions contract.
 * @packageDocumentation
 */
export { httpKind } from './http-kind.js';
export { LlamaServerEngine, llamaServerKind } from './llama-server/engine.js';
export { HttpEngine } from './http-engine.js';
export type { HttpEngineLimits, Upstream } from './http-engine.js';
export { FLAVOURS } from './flavour.js';
export type { UpstreamFlavour } from './flavour.js';
export { createRequestReaders } from './request-readers.js';
export { tryUpstream } from './try-upstream.js';
