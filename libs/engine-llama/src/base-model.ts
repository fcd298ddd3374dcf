import type { Llama, LlamaGpuType, LlamaModel } from 'node-llama-cpp';
import { type ModelParts, modelParts } from './model-parts.js';

/** A model file in memory. Several contexts may use it, each with an adapter of its own. */
export class BaseModel {
  #parts: ModelParts | undefined;

  constructor(
    readonly llama: Llama,
    readonly model: LlamaModel,
  ) {}

  /** What serving needs of the model, made once for all contexts. @throws EngineLoadError when the model lacks it */
  get parts(): ModelParts {
    return (this.#parts ??= modelParts(this.llama, this.model));
  }

  /** The kind of GPU that computes it; false = the CPU does. */
  get gpu(): LlamaGpuType {
    return this.llama.gpu;
  }

  async dispose(): Promise<void> {
    await this.#parts?.tasks.close();
    await this.model.dispose();
    await this.llama.dispose();
  }
}

/** What is loaded, by what decides whether it can be shared. */
interface Entry {
  readonly key: string;
  readonly loading: Promise<BaseModel>;
  users: number;
}

/** A use of a model. */
export interface BaseUse {
  readonly base: BaseModel;
  /** Frees the model if this was its last use. Repeating it is harmless. */
  readonly giveBack: () => Promise<void>;
}

/** The models of this process: contexts of one file share it. */
export class BaseModels {
  readonly #entries = new Map<string, Entry>();

  /**
   * @param key equal for uses that may share a model
   * @param load called unless the model is there or on its way
   * @throws what `load` throws, or the signal's reason after an abort
   */
  async take(key: string, load: () => Promise<BaseModel>, signal: AbortSignal): Promise<BaseUse> {
    const known = this.#entries.get(key);
    const entry = known ?? { key, loading: load(), users: 0 };
    this.#entries.set(key, entry);
    entry.users += 1;
    try {
      const base = await entry.loading;
      signal.throwIfAborted();
      return { base, giveBack: once(() => this.#leave(entry)) };
    } catch (error) {
      await this.#leave(entry);
      // Whoever began to load it has given up.
      if (known && !signal.aborted) return this.take(key, load, signal);
      throw error;
    }
  }

  async #leave(entry: Entry): Promise<void> {
    entry.users -= 1;
    const base = await entry.loading.catch(() => null);
    if (entry.users > 0) return;
    if (this.#entries.get(entry.key) === entry) this.#entries.delete(entry.key);
    await base?.dispose();
  }
}

function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
}
