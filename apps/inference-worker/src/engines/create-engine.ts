import type { ModelSource } from '@slipway/contracts';
import type { Engine, EngineSettings } from './engine.js';

/** A model that is at hand: downloads have become files. */
export type EngineSource = Exclude<ModelSource, { kind: 'download' }>;

/**
 * Makes the engine for a source; nothing is loaded yet. Each engine's code is imported only where it is used:
 * llama.cpp is native code, and a process that only relays to HTTP engines has no reason to hold it.
 */
export async function createEngine(source: EngineSource, settings: EngineSettings): Promise<Engine> {
  if (source.kind === 'file') {
    const { LlamaEngine } = await import('./llama/llama-engine.js');
    return new LlamaEngine(source.path, settings);
  }
  const { HttpEngine } = await import('./http/http-engine.js');
  return new HttpEngine({ url: source.url, model: source.model }, settings);
}
