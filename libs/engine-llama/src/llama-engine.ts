import { type CanonicalRequest, type ServedAdapter, ServiceError, type Usage } from '@slipway/contracts';
import {
  AdmissionQueue,
  type Engine,
  type EngineFacts,
  type EngineLoad,
  EngineLoadError,
  type EngineOutput,
  type EngineSettings,
  fingerprint,
  type TokenCount,
} from '@slipway/engine';
import type { Prompt } from '@slipway/model-text';
import type { Token } from 'node-llama-cpp';
import type { AnswerPlan } from './answer-plan.js';
import { type GenerationOutcome, GenerationRound, type GenerationRun, type GenerationTask } from './generation.js';
import { compileKernels, FIRST_REQUEST } from './gpu-kernels.js';
import { readGrammar } from './grammar-gate.js';
import { loadModel, unloadedMeanwhile } from './load-model.js';
import { capabilitiesOf, prepareModel, type ReadyModel } from './ready-model.js';
import { endsInReasoning } from './reasoning-splitter.js';
import { samplingOptions } from './sampling-options.js';
import { assertWitness } from './witness-check.js';

const NOTHING_DONE: Usage = { prompt: 0, cached: 0, completion: 0 };
/** Share of the progress that reading the file is. */
const FILE_PART = 0.9;
const SILENT: EngineOutput = { account: null, phase: () => undefined, events: () => undefined };

const shutDown = (): ServiceError => new ServiceError('server_shutting_down', 'The model is being unloaded.', { retryAfterS: 1 });

/**
 * A GGUF model in this process, run by llama.cpp. A crash of native code ends the process, so each model has its own process.
 */
export class LlamaEngine implements Engine {
  readonly #queue: AdmissionQueue;
  #ready: ReadyModel | null = null;
  #closing = false;
  #corrupted = false;
  #unloaded: Promise<void> | null = null;
  #onIdle: (() => void) | null = null;

  constructor(
    private readonly path: string,
    private readonly settings: EngineSettings,
  ) {
    this.#queue = new AdmissionQueue(settings.slots, settings.queue);
  }

  async load(onProgress: (progress: number) => void, signal: AbortSignal): Promise<EngineFacts> {
    const { context, slots, threads, log, adapter, gpu = false } = this.settings;
    const onFileProgress = (progress: number): void => onProgress(progress * FILE_PART);
    const loaded = await loadModel({
      path: this.path,
      adapter,
      context,
      sequences: slots,
      threads,
      gpu,
      log,
      signal,
      onProgress: onFileProgress,
    });
    try {
      if (this.#closing) throw unloadedMeanwhile();
      this.#ready = prepareModel(loaded);
      const { model, llama, gpu: device } = loaded.base;
      const { release } = llama.llamaCppRelease;
      // A stream never continues on another adapter.
      const print = await fingerprint(this.path, `llama.cpp ${release}${adapter ? ` adapter ${adapter.facts.sha256}` : ''}`);
      if (adapter) await this.#prove(adapter.facts, this.#ready);
      await this.#warmUp(device !== false, (done) => onProgress(FILE_PART + (1 - FILE_PART) * done), signal);
      onProgress(1);
      const served = { model: model.filename, context: this.#ready.context, slots, threads };
      log.info({ ...served, gpu: device, gpu_layers: model.gpuLayers, llama_cpp: release }, 'llama.loaded');
      return { fingerprint: print, context: this.#ready.context, slots, caps: capabilitiesOf(this.#ready) };
    } catch (error) {
      await this.unload();
      await loaded.dispose();
      throw error;
    }
  }

  current(): EngineLoad {
    return { running: this.#queue.running, queued: this.#queue.queued };
  }

  check(): Promise<void> {
    if (this.#ready && !this.#closing && !this.#corrupted) return Promise.resolve();
    return Promise.reject(
      new EngineLoadError('engine_crashed', this.#corrupted ? 'A sequence of the model is corrupted.' : 'The model is not loaded.'),
    );
  }

  async generate(request: CanonicalRequest, output: EngineOutput, signal: AbortSignal): Promise<Usage> {
    const ready = this.#loaded();
    this.#queue.assertRoom();
    // Refuses an invalid logit_bias before the request is queued.
    samplingOptions(ready.tools.model, request.sampling, ready.tools.defaults, []);
    const plan = await this.#reading(ready.planner.plan(request));
    const run: GenerationRun = { output, stopped: () => signal.aborted || this.#closing, corrupted: this.#corrupt };
    output.phase('queue');
    const prompt = plan && (await this.#reading(ready.prompts.build(request, run.stopped)));
    const task = plan && prompt && (await this.#task(ready, request, prompt, plan));
    if (task === null || !(await this.#queue.enter(signal))) return this.#afterStop(NOTHING_DONE, signal);
    const slots = 1 + this.#queue.enterMore((request.n ?? 1) - 1);
    try {
      const { usage, finished } = await this.#round(ready, task, slots, run);
      return finished ? usage : this.#afterStop(usage, signal);
    } finally {
      for (let slot = 0; slot < slots; slot += 1) this.#queue.leave();
      if (this.#queue.running === 0) this.#onIdle?.();
    }
  }

  async count(request: CanonicalRequest, signal: AbortSignal): Promise<TokenCount> {
    const { prompts } = this.#loaded();
    signal.throwIfAborted();
    const guess = prompts.guess(request);
    if (guess !== null) return { tokens: guess, exact: false };
    const prompt = await this.#reading(prompts.read(request, () => signal.aborted || this.#closing));
    signal.throwIfAborted();
    if (prompt === null) throw shutDown();
    return { tokens: prompt.tokens.length, exact: true };
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
    await ready?.loaded.dispose();
  }

  async #task(
    ready: ReadyModel,
    request: CanonicalRequest,
    prompt: Prompt<Token>,
    { grammar, calls }: AnswerPlan,
  ): Promise<GenerationTask> {
    const { sampling, stop, logprobs = null, n: choices = 1 } = request;
    const { format, ends, context, grammars, loaded } = ready;
    const { tokens, end } = prompt;
    const usual = request.fills_context ? null : this.settings.defaultMaxTokens;
    const wanted = request.max_tokens ?? usual ?? Infinity;
    const reasoning = request.continue_final === true ? null : format.reasoning;
    const budget = request.reasoning?.budget;
    const spec = {
      stop,
      ends,
      calls,
      maxTokens: Math.min(wanted, context - tokens.length),
      minTokens: sampling.min_tokens ?? 0,
      reasoning: reasoning && { marks: reasoning, opened: endsInReasoning(end, reasoning) },
    };
    const closing = (): GenerationTask['reasoningEnd'] =>
      reasoning && budget !== undefined ? { budget, tokens: loaded.base.model.tokenize(`\n${reasoning.close}\n\n`, true) } : null;
    const read = grammar && (await readGrammar(grammar, grammars));
    return { prompt: tokens, sampling, spec, grammar: read, ...promisesOf(grammar), logprobs, reasoningEnd: closing(), choices };
  }

  async #round(ready: ReadyModel, task: GenerationTask, slots: number, run: GenerationRun): Promise<GenerationOutcome> {
    const sequences = Array.from({ length: slots }, () => ready.sequences.take(task.prompt));
    try {
      return await new GenerationRound(ready.tools, task, run).generate(sequences);
    } finally {
      for (const sequence of sequences) ready.sequences.give(sequence);
    }
  }

  #loaded(): ReadyModel {
    if (this.#closing) throw shutDown();
    if (this.#ready) return this.#ready;
    throw new ServiceError('deployment_unavailable', 'The model is not loaded yet.', { retryAfterS: 1 });
  }

  /** A sequence with unknown tokens would give the next request a wrong answer: no request is taken until the model is loaded again. */
  readonly #corrupt = (err: unknown): void => {
    this.#corrupted = true;
    this.settings.log.error({ err }, 'llama.sequence_corrupted');
    this.#queue.close(new ServiceError('deployment_unavailable', 'The model failed and must be loaded again.', { retryAfterS: 1 }));
  };

  /** @returns null when the model was unloaded meanwhile. */
  async #reading<T>(made: Promise<T | null>): Promise<T | null> {
    try {
      return await made;
    } catch (error) {
      if (error instanceof ServiceError) throw error;
      if (this.#closing) return null;
      throw new ServiceError('engine_error', 'The model failed to read the request.', { cause: error });
    }
  }

  /** A request that its caller aborted ends without an error; one that an unload ended must not look complete. */
  #afterStop(usage: Usage, signal: AbortSignal): Usage {
    if (!signal.aborted) throw shutDown();
    return usage;
  }

  /** Compares this replica with the adapter's stored answers. @throws EngineLoadError `witness_failed` */
  async #prove({ id, witness }: ServedAdapter, { sequences }: ReadyModel): Promise<void> {
    const from = performance.now();
    const sequence = sequences.take([]);
    try {
      const distance = await assertWitness(sequence, witness);
      this.settings.log.info({ adapter: id, distance, answers: witness.length, ms: performance.now() - from }, 'llama.adapter_proven');
    } finally {
      sequences.give(sequence);
    }
  }

  /** Runs first requests: the first one is slow, and a model that fails it is not ready. */
  async #warmUp(onGpu: boolean, onProgress: (progress: number) => void, signal: AbortSignal): Promise<void> {
    const generate = (request: CanonicalRequest): Promise<unknown> => this.generate(request, SILENT, signal);
    try {
      await generate(FIRST_REQUEST);
      const { slots } = this.settings;
      if (onGpu) await compileKernels({ generate, slots, context: this.#ready?.context ?? 0 }, onProgress, signal);
    } catch (cause) {
      signal.throwIfAborted();
      if (this.#closing) throw unloadedMeanwhile();
      const message = cause instanceof ServiceError ? cause.message : 'unknown failure';
      throw new EngineLoadError('model_invalid', `The model failed its first request: ${message}`, { cause });
    }
    signal.throwIfAborted();
    // The next request must not count the warm-up's tokens as cached.
    await this.#ready?.sequences.clear();
  }
}

const promisesOf = (grammar: AnswerPlan['grammar']): Pick<GenerationTask, 'leftOut' | 'checks'> => ({
  leftOut: grammar?.leftOut ?? [],
  checks: grammar?.checks ?? [],
});
