import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { DEFAULT_CONTEXT } from '@slipway/contracts';
import { type EngineAdapter, EngineLoadError, hasSoundMetadata } from '@slipway/engine';
import type { Logger } from '@slipway/platform';
import {
  getLlama,
  InsufficientMemoryError,
  type Llama,
  type LlamaContext,
  type LlamaEmbeddingContext,
  LlamaLogLevel,
  type LlamaModel,
  NoBinaryFoundError,
} from 'node-llama-cpp';
import { assertAdapterFits } from './adapter-file.js';
import { BaseModel, BaseModels, type BaseUse } from './base-model.js';
import { inSequenceOrder } from './batch-order.js';
import { LARGEST_CHUNK } from './prefill.js';

/** A model in memory with what evaluates it. */
interface Loaded<Context> {
  readonly base: BaseModel;
  readonly context: Context;
  /** Frees the context, and the model unless another context of this process uses it. Repeating it is harmless. */
  dispose(): Promise<void>;
}
/** A model in memory, ready to evaluate. */
export type LoadedModel = Loaded<LlamaContext>;

/** Contexts of one embedding model, each of which evaluates one text at a time. */
export interface EmbeddingContexts {
  readonly all: readonly LlamaEmbeddingContext[];
  /** Tokens of the longest text. */
  readonly tokens: number;
  dispose(): Promise<void>;
}
/** An embedding model in memory. */
export type LoadedEmbedder = Loaded<EmbeddingContexts>;

/** Contexts with adapters share their base. */
const models = new BaseModels();

/** A model file, its context and the resources for it. */
export interface LoadModelOptions {
  readonly path: string;
  readonly adapter?: EngineAdapter | undefined;
  /** Tokens per sequence; null = the default. At most the model's training context. */
  readonly context: number | null;
  readonly sequences: number;
  readonly threads: number;
  readonly gpu: boolean;
  readonly log: Logger;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: number) => void;
}

/** Tokens that are evaluated at once. A context with an adapter, of which there may be many, has no room for more than come at once. */
const BATCH_TOKENS = 512;
/** Factor on what an adapter says of itself, its alpha by its rank. */
const ADAPTER_SCALE = 1;

/** Checks the file before llama.cpp opens it. @throws EngineLoadError `model_missing` or `model_invalid`. */
async function assertReadableFile(path: string): Promise<void> {
  const facts = await stat(path).catch((cause: unknown) => {
    throw new EngineLoadError('model_missing', 'The model file does not exist on this worker.', { cause });
  });
  if (!facts.isFile()) throw new EngineLoadError('model_invalid', 'The model path is not a file.');
  await access(path, constants.R_OK).catch((cause: unknown) => {
    throw new EngineLoadError('model_missing', 'The worker may not read the model file.', { cause });
  });
  if (!(await hasSoundMetadata(path))) {
    throw new EngineLoadError('model_invalid', 'The file is damaged or not a GGUF model: its metadata counts more than the file holds.');
  }
}

/** The base's file was hashed before it was opened: it must not have been replaced in between. */
async function assertAdapterOf({ path, facts, assertBase }: EngineAdapter, model: LlamaModel): Promise<void> {
  await assertBase();
  await assertAdapterFits(path, model.fileInfo, facts);
}

function logLine(log: Logger, level: LlamaLogLevel, message: string): void {
  const line = { message: message.trimEnd() };
  if (level === LlamaLogLevel.fatal || level === LlamaLogLevel.error) log.warn(line, 'llama.error');
  else log.debug(line, 'llama.log');
}

/** Threads of all contexts together. Those with adapters share the model, and may run at the same time. */
const threadsOf = ({ adapter, threads }: LoadModelOptions): number => (adapter ? Math.max(threads, availableParallelism()) : threads);

function startLlama(options: LoadModelOptions): Promise<Llama> {
  return getLlama({
    gpu: options.gpu ? 'auto' : false,
    // Otherwise a missing binary starts a download or a compiler in the worker.
    build: 'never',
    skipDownload: true,
    maxThreads: threadsOf(options),
    progressLogs: false,
    logLevel: LlamaLogLevel.info,
    logger: (level, message) => logLine(options.log, level, message),
  });
}

async function loadBase(options: LoadModelOptions): Promise<BaseModel> {
  const { path: modelPath, signal, onProgress } = options;
  let llama: Llama | undefined;
  try {
    await assertReadableFile(modelPath);
    llama = await startLlama(options);
    if (options.gpu && llama.gpu === false) options.log.warn({}, 'llama.no_gpu');
    const model = await llama.loadModel({ modelPath, loadSignal: signal, onLoadProgress: onProgress });
    return new BaseModel(llama, model);
  } catch (error) {
    await llama?.dispose();
    throw error;
  }
}

const isMemoryError = (error: unknown): boolean =>
  error instanceof InsufficientMemoryError || (error instanceof Error && /alloc|memory|create context/i.test(error.message));

function asLoadError(error: unknown): EngineLoadError {
  if (error instanceof EngineLoadError) return error;
  const options = { cause: error };
  if (error instanceof NoBinaryFoundError) {
    return new EngineLoadError('engine_crashed', 'llama.cpp has no binary for this kind of machine.', options);
  }
  if (isMemoryError(error)) {
    return new EngineLoadError(
      'out_of_memory',
      'The worker has too little memory for this model with this context and these slots.',
      options,
    );
  }
  if (error instanceof Error && /lora/i.test(error.message))
    return new EngineLoadError('adapter_mismatch', 'llama.cpp cannot load this adapter on this base.', options);
  return new EngineLoadError('model_invalid', 'llama.cpp cannot load this file: it is damaged, incomplete, or not a GGUF model.', options);
}

/** The error of a load whose engine is unloaded before it ends. */
export const unloadedMeanwhile = (): EngineLoadError =>
  new EngineLoadError('engine_crashed', 'The model was unloaded while it was loading.');

/**
 * Loads a GGUF file, unless another context with an adapter uses it here, and allocates the memory for all sequences.
 * @throws EngineLoadError, or the signal's reason after an abort; all memory is freed then.
 */
export const loadModel = (options: LoadModelOptions): Promise<LoadedModel> => load(options, (model) => createContext(options, model));

/** The same for a model that makes embeddings, with one context for each sequence. @throws as `loadModel` does */
export const loadEmbedder = (options: LoadModelOptions): Promise<LoadedEmbedder> =>
  load(options, (model) => createEmbeddingContexts(options, model));

async function load<C extends { dispose: () => Promise<void> }>(
  options: LoadModelOptions,
  open: (model: LlamaModel) => Promise<C>,
): Promise<Loaded<C>> {
  const { signal } = options;
  let use: BaseUse | undefined;
  try {
    const { path, gpu, adapter } = options;
    const key = adapter ? JSON.stringify([path, gpu, threadsOf(options)]) : randomUUID();
    use = await models.take(key, () => loadBase(options), signal);
    const { base, giveBack } = use;
    const context = await open(base.model);
    const dispose = async (): Promise<void> => {
      await context.dispose();
      await giveBack();
    };
    if (signal.aborted) await dispose();
    signal.throwIfAborted();
    return { base, context, dispose };
  } catch (error) {
    await use?.giveBack();
    signal.throwIfAborted();
    throw asLoadError(error);
  }
}

async function createContext({ adapter, context, sequences, threads, signal }: LoadModelOptions, model: LlamaModel): Promise<LlamaContext> {
  if (adapter) await assertAdapterOf(adapter, model);
  return model.createContext({
    contextSize: Math.min(context ?? DEFAULT_CONTEXT, model.trainContextSize),
    sequences,
    batchSize: adapter ? Math.min(BATCH_TOKENS, sequences * LARGEST_CHUNK) : BATCH_TOKENS,
    threads,
    batching: { itemPrioritizationStrategy: inSequenceOrder },
    ...(adapter && { lora: { adapters: [{ filePath: adapter.path, scale: ADAPTER_SCALE }] } }),
    // The context must not shrink below the requested size.
    failedCreationRemedy: false,
    createSignal: signal,
  });
}

async function createEmbeddingContexts(
  { context, sequences, threads, signal }: LoadModelOptions,
  model: LlamaModel,
): Promise<EmbeddingContexts> {
  const tokens = Math.min(context ?? DEFAULT_CONTEXT, model.trainContextSize);
  const all: LlamaEmbeddingContext[] = [];
  const dispose = async (): Promise<void> => {
    for (const one of all) await one.dispose();
  };
  try {
    for (let i = 0; i < sequences; i += 1) {
      // A text must come as one batch, and node-llama-cpp keeps one token of a context free.
      const size = tokens + 1;
      all.push(await model.createEmbeddingContext({ contextSize: size, batchSize: size, threads, createSignal: signal }));
    }
  } catch (error) {
    await dispose();
    throw error;
  }
  return { all, tokens, dispose };
}
