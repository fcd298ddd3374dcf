import type { EngineKindName } from '@slipway/contracts';
import type { Engine, EngineSettings } from './engine.js';

/** One kind of engine, as its library offers it. `Source` says where a model of this kind is found. */
export interface EngineKind<Source> {
  /** Its row in `ENGINE_KINDS`. */
  readonly kind: EngineKindName;
  /** Makes the engine of one model; nothing is loaded yet. */
  create(source: Source, settings: EngineSettings): Engine | Promise<Engine>;
}
