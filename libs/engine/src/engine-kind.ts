import type { Engine, EngineSettings } from './engine.js';

/** One kind of engine, as its library offers it. `Source` says where a model of this kind is found. */
export interface EngineKind<Source extends { readonly kind: string }> {
  /** The word of the model source that asks for this kind. */
  readonly kind: Source['kind'];
  /** Makes the engine of one model; nothing is loaded yet. */
  create(source: Source, settings: EngineSettings): Engine;
}
