import { type CanonicalRequest, dimensionsWord, ServiceError, textOf, type Usage } from '@slipway/contracts';
import {
  AdmissionQueue,
  BYTES_PER_TOKEN,
  type Engine,
  type EngineFacts,
  type EngineLoad,
  EngineLoadError,
  type EngineOutput,
  type EngineSettings,
  fingerprint,
  makesEmbeddings,
  textTooLong,
  type TokenCount,
  vectorText,
} from '@slipway/engine';
import { type LlamaEmbeddingContext, LlamaLogLevel, type Token } from 'node-llama-cpp';
import { type LoadedEmbedder, loadEmbedder, unloadedMeanwhile } from './load-model.js';

const shutDown = (): ServiceError => new ServiceError('server_shutting_down', 'The model is being unloaded.', { retryAfterS: 1 });

export interface EmbedderSettings extends EngineSettings {
  /** Whether the first numbers of a vector are a vector too, as the owner of the deployment says. */
  readonly matryoshka: boolean;
}

/** What came of one text. */
interface Embedded {
  readonly tokens: number;
  readonly vector: readonly number[];
}

/** A GGUF model that makes embeddings, run by llama.cpp in this process. Each slot is a context, which evaluates one text at a time. */
export class LlamaEmbedder implements Engine {
  readonly #queue: AdmissionQueue;
  #loaded: LoadedEmbedder | null = null;
  #free: LlamaEmbeddingContext[] = [];
  #closing = false;
  #unloaded: Promise<void> | null = null;
  #onIdle: (() => void) | null = null;

  constructor(
    private readonly path: string,
    private readonly settings: EmbedderSettings,
  ) {
    this.#queue = new AdmissionQueue(settings.slots, settings.queue);
  }

  async load(onProgress: (progress: number) => void, signal: AbortSignal): Promise<EngineFacts> {
    const { path } = this;
    const { context, slots, threads, log, adapter, matryoshka, gpu = false } = this.settings;
    if (adapter) throw new EngineLoadError('engine_refused', 'A model of embeddings takes no adapter.');
    const loaded = await loadEmbedder({ path, context, sequences: slots, threads, gpu, log, signal, onProgress });
    this.#loaded = loaded;
    try {
      if (this.#closing) throw unloadedMeanwhile();
      this.#free = [...loaded.context.all];
      const dimensions = await this.#warmUp(loaded.context.all[0]);
      // llama.cpp warns of every text, because its binding marks the last token alone as output.
      loaded.base.llama.logLevel = LlamaLogLevel.error;
      const { release } = loaded.base.llama.llamaCppRelease;
      const { tokens } = loaded.context;
      log.info({ model: loaded.base.model.filename, context: tokens, slots, threads, dimensions, llama_cpp: release }, 'llama.loaded');
      const caps = ['embed', 'exact_usage', dimensionsWord(dimensions), ...(matryoshka ? ['matryoshka'] : [])];
      return { fingerprint: await fingerprint(path, `llama.cpp ${release} embeddings`), context: tokens, slots, caps };
    } catch (error) {
      await this.unload();
      throw error;
    }
  }

  current(): EngineLoad {
    return { running: this.#queue.running, queued: this.#queue.queued };
  }

  check(): Promise<void> {
    if (this.#loaded && !this.#closing) return Promise.resolve();
    return Promise.reject(new EngineLoadError('engine_crashed', 'The model is not loaded.'));
  }

  generate(): Promise<Usage> {
    return Promise.reject(makesEmbeddings());
  }

  count(): Promise<TokenCount> {
    return Promise.reject(makesEmbeddings());
  }

  async embed(request: CanonicalRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage> {
    const { tokens: context } = this.#ready().context;
    output.phase('queue');
    if (!(await this.#queue.enter(signal))) return { prompt: 0, cached: 0, completion: 0 };
    const slot = this.#free.pop();
    try {
      if (!slot) throw new ServiceError('internal', 'There is no context for this slot.');
      output.phase('prefill');
      return await this.#embedAll(slot, request, { context, output, signal });
    } finally {
      if (slot) this.#free.push(slot);
      this.#queue.leave();
      if (this.#queue.running === 0) this.#onIdle?.();
    }
  }

  unload(): Promise<void> {
    this.#unloaded ??= this.#unload();
    return this.#unloaded;
  }

  async #embedAll(
    slot: LlamaEmbeddingContext,
    { messages }: CanonicalRequest,
    { context, output, signal }: { readonly context: number; readonly output: EngineOutput; readonly signal: AbortSignal },
  ): Promise<Usage> {
    let prompt = 0;
    for (const [i, message] of messages.entries()) {
      // One evaluation cannot be aborted; it takes at most one context of tokens.
      if (signal.aborted) break;
      if (this.#closing) throw shutDown();
      const { tokens, vector } = await embedText(slot, textOf(message), { index: i, context });
      prompt += tokens;
      if (!signal.aborted) output.events([{ k: 'vec', i, x: vectorText(vector) }]);
    }
    return { prompt, cached: 0, completion: 0 };
  }

  /** The first evaluation is slow, and a model that fails it is not ready. @returns numbers of a vector */
  async #warmUp(slot: LlamaEmbeddingContext | undefined): Promise<number> {
    try {
      if (!slot) throw new Error('There is no slot.');
      const { vector } = await embedText(slot, 'Hello', { index: 0, context: Infinity });
      vectorText(vector);
      return vector.length;
    } catch (cause) {
      if (this.#closing) throw unloadedMeanwhile();
      throw new EngineLoadError('model_invalid', 'The model made no vector of its first text.', { cause });
    }
  }

  #ready(): LoadedEmbedder {
    if (this.#closing) throw shutDown();
    if (this.#loaded) return this.#loaded;
    throw new ServiceError('deployment_unavailable', 'The model is not loaded yet.', { retryAfterS: 1 });
  }

  async #unload(): Promise<void> {
    this.#closing = true;
    this.#queue.close(shutDown());
    if (this.#queue.running > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    const loaded = this.#loaded;
    this.#loaded = null;
    await loaded?.dispose();
  }
}

/** @throws ServiceError `context_length_exceeded` before anything is evaluated */
async function embedText(
  slot: LlamaEmbeddingContext,
  text: string,
  { index, context }: { readonly index: number; readonly context: number },
): Promise<Embedded> {
  const bytes = Buffer.byteLength(text);
  if (bytes > BYTES_PER_TOKEN * context) throw textTooLong(index, Math.ceil(bytes / BYTES_PER_TOKEN), context, true);
  const input = tokensOf(slot, text);
  const tokens = slot.calculateInputLength(input);
  if (tokens > context) throw textTooLong(index, tokens, context);
  try {
    const { vector } = await slot.getEmbeddingFor(input);
    return { tokens, vector };
  } catch (cause) {
    throw new ServiceError('engine_error', 'The model failed to read a text.', { cause });
  }
}

/** A text of blanks may have no token of its own; then the marks around a text are all that is read. */
function tokensOf({ model }: LlamaEmbeddingContext, text: string): Token[] {
  const tokens = model.tokenize(text);
  if (tokens.length > 0) return tokens;
  const { bos, eos } = model.tokens;
  return [bos, eos].filter((token) => token !== null).slice(0, 1);
}
