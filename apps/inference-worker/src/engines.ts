import { engineFacts, type EngineFinding, engineKindOf, type EngineKindName, type ModelSource } from '@slipway/contracts';
import { type Engine, type EngineKind, EngineLoadError, type EngineProgram, type EngineSettings } from '@slipway/engine';
import type { Logger, ThreadPool } from '@slipway/platform';
import type { WorkerConfig } from './config.js';

/** A model that is at hand: downloads have become files. */
export type EngineSource = Exclude<ModelSource, { kind: 'download' }>;

/** An HTTP engine in a test; without `model` it is asked which models it has. */
type TestedEngine = Pick<Extract<EngineSource, { kind: 'http' }>, 'url'> & { readonly model?: string | undefined };

/** A kind of engine as this worker runs it. */
interface WorkerKind {
  /**
   * The library is imported only where its engine is used: llama.cpp is native code, and the agent, which relays to HTTP
   * engines, does not load it.
   */
  readonly library: () => Promise<EngineKind<EngineSource>>;
  /** The operator's program that it needs; null = there is none, and this worker does not offer the kind. Absent = it needs none. */
  readonly program?: (config: WorkerConfig) => EngineProgram | null;
}

const KINDS: Readonly<Record<EngineKindName, WorkerKind>> = {
  llama: { library: async () => (await import('@slipway/engine-llama')).llamaKind },
  'llama-server': {
    library: async () => (await import('@slipway/engine-http')).llamaServerKind,
    program: ({ LLAMA_SERVER: path, LLAMA_SERVER_ARGS: args = [] }) => (path === undefined ? null : { path, args }),
  },
  http: { library: async () => (await import('@slipway/engine-http')).httpKind },
};

/** The kinds of engines that a worker with these settings runs, as its heartbeat names them. */
export const runnableKinds = (config: WorkerConfig): string[] =>
  Object.entries(KINDS)
    .filter(([, { program }]) => program === undefined || program(config) !== null)
    .map(([name]) => name);

/** The operator's program for the engine of a source; null for one that needs none. */
export function programFor(source: ModelSource, config: WorkerConfig): EngineProgram | null {
  const name = engineKindOf(source);
  return (isRunnable(name) ? KINDS[name].program?.(config) : null) ?? null;
}

const isRunnable = (name: string): name is EngineKindName => Object.hasOwn(KINDS, name);

/**
 * Makes the engine for a source; nothing is loaded yet.
 * @throws EngineLoadError `engine_refused` for an engine that this worker does not run, or that loads no such source
 */
export async function createEngine(source: EngineSource, settings: EngineSettings): Promise<Engine> {
  const name = engineKindOf(source);
  if (!isRunnable(name) || engineFacts(name)?.sources.includes(source.kind) !== true) {
    throw new EngineLoadError('engine_refused', `This worker runs no engine "${name}" that loads this source.`);
  }
  if (settings.adapter && name !== 'llama') throw new EngineLoadError('engine_refused', `The engine "${name}" loads no adapters.`);
  const kind = await KINDS[name].library();
  return kind.create(source, settings);
}

/** Asks an HTTP engine once what loading a deployment of it would ask, without loading anything. Never throws: a fault is the finding. */
export async function tryEngine(
  { url, model }: TestedEngine,
  credential: string | undefined,
  log: Pick<Logger, 'warn'>,
): Promise<Omit<EngineFinding, 'ms'>> {
  const { tryUpstream } = await import('@slipway/engine-http');
  return tryUpstream({ url, model, credential }, log);
}

/** Threads in which HTTP engines read large requests. One pool serves all engines of a process. */
export async function requestReaders(log: Logger): Promise<ThreadPool> {
  const { createRequestReaders } = await import('@slipway/engine-http');
  return createRequestReaders(log);
}
