import type { EngineKind } from '@slipway/engine';
import { LlamaEngine } from './llama-engine.js';

/** Engines of GGUF files, run by llama.cpp in the process that makes them. */
export const llamaKind: EngineKind<{ readonly kind: 'file'; readonly path: string }> = {
  kind: 'llama',
  create: ({ path }, settings) => new LlamaEngine(path, settings),
};
