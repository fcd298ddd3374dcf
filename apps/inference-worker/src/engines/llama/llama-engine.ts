import { type CanonicalRequest, ServiceError, type Usage } from '@slipway/contracts';
import type { Token } from 'node-llama-cpp';
import { AdmissionQueue } from '../admission-queue.js';
import {
  type Engine,
  type EngineFacts,
  type EngineLoad,
  EngineLoadError,
  type EngineOutput,
  type EngineSettings,
  type TokenCount,
} from '../engine.js';
import { BatchGate } from './batch-gate.js';
import { ChatTemplate } from './chat-template.js';
import { fingerprint } from './fingerprint.js';
import { type GenerationTask, type GenerationTools, runGeneration } from './generation.js';
import { type LoadedModel, loadModel } from './load-model.js';
import { PrefillPacer } from './prefill.js';
import { PromptBuilder } from './prompt-builder.js';
import { samplingDefaults } from './sampling-options.js';
import { SequencePool } from './sequence-pool.js';
import { createTokenBytes } from './token-bytes.js';

interface ReadyModel {
  readonly loaded: LoadedModel;
  readonly prompts: PromptBuilder;
  readonly sequences: SequencePool;
  readonly tools: GenerationTools;
  /** Tokens that prompt and answer share. */
  readonly context: number;
}

const NOTHING_DONE: Usage = { prompt: 0, cached: 0, completion: 0 };
const CAPS = ['cached_tokens', 'exact_count', 'exact_usage', 'logit_bias', 'min_p', 'repetition_penalty', 'seed', 'stop_sequence', 'top_k'];
const WARM_UP: CanonicalRequest = {
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  sampling: { temperature: 0 },
  stop: [],
  max_tokens: 1,
};
const SILENT: EngineOutput = { phase: () => undefined, events: () => undefined };

const shutDown = (): ServiceError => new ServiceError('server_shutting_down', 'The model is being unloaded.', { retryAfterS: 1 });

/**
 * A GGUF model in this process, run by llama.cpp. Native code: a crash takes the process along, so each model
 * has a process of its own.
 */
export class LlamaEngine implements Engine {
  readonly kind = 'llama';
  readonly #queue: AdmissionQueue;
  #ready: ReadyModel | null = null;
  #closing = false;
  #unloaded: Promise<void> | null = null;
  #onIdle: (() => void) | null = null;

  constructor(
    private readonly path: string,
    private readonly settings: EngineSettings,
  ) {
    this.#queue = new AdmissionQueue(settings.slots, settings.queue);
  }

  async load(onProgress: (progress: number) => void, signal: AbortSignal): Promise<EngineFacts> {
    const { context, slots, threads, log, gpu = false } = this.settings;
    const onFileProgress = (progress: number): void => onProgress(progress * 0.9);
    const loaded = await loadModel({ path: this.path, context, sequences: slots, threads, gpu, log, signal, onProgress: onFileProgress });
    try {
      if (this.#closing) throw new EngineLoadError('engine_crashed', 'The model was unloaded while it was loading.');
      this.#ready = prepare(loaded);
      const { release } = loaded.llama.llamaCppRelease;
      const print = await fingerprint(this.path, `llama.cpp ${release}`);
      await this.#warmUp(signal);
      onProgress(1);
      log.info({ model: loaded.model.filename, context: this.#ready.context, slots, threads, llama_cpp: release }, 'llama.loaded');
      return { fingerprint: print, context: this.#ready.context, slots, caps: CAPS };
    } catch (error) {
      await this.unload();
      await dispose(loaded);
      throw error;
    }
  }

  current(): EngineLoad {
    return { running: this.#queue.running, queued: this.#queue.queued };
  }

  check(): Promise<void> {
    if (this.#ready && !this.#closing) return Promise.resolve();
    return Promise.reject(new EngineLoadError('engine_crashed', 'The model is not loaded.'));
  }

  async generate(request: CanonicalRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage> {
    const ready = this.#loaded();
    this.#queue.assertRoom();
    const stopped = (): boolean => signal.aborted || this.#closing;
    output.phase('queue');
    const prompt = await this.#reading(ready.prompts.build(request.messages, stopped));
    if (prompt === null || !(await this.#queue.enter(signal))) return this.#afterStop(NOTHING_DONE, signal);
    const sequence = ready.sequences.take(prompt);
    try {
      const task = this.#task(request, prompt, ready.context);
      const { usage, finished } = await runGeneration(ready.tools, sequence, task, { output, stopped });
      return finished ? usage : this.#afterStop(usage, signal);
    } finally {
      ready.sequences.give(sequence);
      this.#queue.leave();
      if (this.#queue.running === 0) this.#onIdle?.();
    }
  }

  async count(request: CanonicalRequest, signal: AbortSignal): Promise<TokenCount> {
    const { prompts } = this.#loaded();
    const tokens = await this.#reading(prompts.tokens(request.messages, () => signal.aborted || this.#closing));
    signal.throwIfAborted();
    if (tokens === null) throw shutDown();
    return { tokens: tokens.length, exact: true };
  }

  unload(): Promise<void> {
    this.#unloaded ??= this.#unload();
    return this.#unloaded;
  }

  async #unload(): Promise<void> {
    this.#closing = true;
    this.#queue.close(shutDown());
    if (this.#queue.running > 0) {
      await new Promise<void>((resolve) => {
        this.#onIdle = resolve;
      });
    }
    const ready = this.#ready;
    this.#ready = null;
    if (ready) await dispose(ready.loaded);
  }

  #task(request: CanonicalRequest, prompt: GenerationTask['prompt'], context: number): GenerationTask {
    const wanted = request.max_tokens ?? this.settings.defaultMaxTokens ?? Infinity;
    return { prompt, sampling: request.sampling, stop: request.stop, maxTokens: Math.min(wanted, context - prompt.length) };
  }

  #loaded(): ReadyModel {
    if (this.#closing) throw shutDown();
    if (this.#ready) return this.#ready;
    throw new ServiceError('deployment_unavailable', 'The model is not loaded yet.', { retryAfterS: 1 });
  }

  /** @returns null when the tokenizer was freed under its hands. */
  async #reading(tokens: Promise<Token[] | null>): Promise<Token[] | null> {
    try {
      return await tokens;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (this.#closing) return null;
      throw new ServiceError('engine_error', 'The model failed to read the messages.', { cause: error });
    }
  }

  /** A request that its caller gave up ends in peace; one that an unload cut off must not look complete. */
  #afterStop(usage: Usage, signal: AbortSignal): Usage {
    if (!signal.aborted) throw shutDown();
    return usage;
  }

  /** The first rendering, evaluation and sampling are slow; and a model that cannot do them is not ready. */
  async #warmUp(signal: AbortSignal): Promise<void> {
    try {
      await this.generate(WARM_UP, SILENT, signal);
    } catch (cause) {
      const message = cause instanceof ServiceError ? cause.message : 'unknown failure';
      throw new EngineLoadError('model_invalid', `The model failed its first request: ${message}`, { cause });
    }
    signal.throwIfAborted();
    // The next request must not find the warm-up's tokens and call them cached.
    await this.#ready?.sequences.clear();
  }
}

/** Frees the memory of a model; repeating it is harmless. */
async function dispose({ context, model, llama }: LoadedModel): Promise<void> {
  await context.dispose();
  await model.dispose();
  await llama.dispose();
}

/** @throws EngineLoadError when the model lacks what serving needs. */
function prepare(loaded: LoadedModel): ReadyModel {
  const { model, context } = loaded;
  const { metadata } = model.fileInfo;
  const source = metadata.tokenizer.chat_template;
  const template = ChatTemplate.parse(source, { bos: model.tokens.bosString ?? '', eos: model.tokens.eosString ?? '' });
  return {
    loaded,
    prompts: new PromptBuilder(model, template, context.contextSize),
    sequences: new SequencePool(context),
    context: context.contextSize,
    tools: {
      model,
      bytes: createTokenBytes(model),
      pacer: new PrefillPacer(),
      gate: new BatchGate(),
      defaults: samplingDefaults(metadata),
      ends: template.ends,
    },
  };
}
