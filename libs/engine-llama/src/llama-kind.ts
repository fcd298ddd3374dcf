import type { EngineChoice } from '@slipway/contracts';
import { type EngineKind, isEmbeddingModel } from '@slipway/engine';
import { LlamaEmbedder } from './llama-embedder.js';
import { LlamaEngine } from './llama-engine.js';

/** Makes engines for GGUF files, which llama.cpp runs in this process. A file whose metadata name a pooling makes embeddings. */
export const llamaKind: EngineKind<{ readonly kind: 'file'; readonly path: string; readonly engine?: EngineChoice | undefined }> = {
  kind: 'llama',
  create: async ({ path, engine }, settings) =>
    (await isEmbeddingModel(path))
      ? new LlamaEmbedder(path, { ...settings, matryoshka: engine?.options?.['matryoshka'] === 'on' })
      : new LlamaEngine(path, settings),
};
