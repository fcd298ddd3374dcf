import { engineFacts, type EngineFinding, engineKindOf, type EngineKindName, type ModelSource } from '@slipway/contracts';
import { type Engine, type EngineKind, EngineLoadError, type EngineSettings } from '@slipway/engine';
import type { Logger, ThreadPool } from '@slipway/platform';

/** A model that is at hand: downloads have become files. */
export type EngineSource = Exclude<ModelSource, { kind: 'download' }>;

type HttpSource = Extract<EngineSource, { kind: 'http' }>;

/**
 * The kinds of engines that this worker runs. Each library is imported only where its engine is used: llama.cpp is native
 * code, and the agent, which relays to HTTP engines, does not load it.
 */
const KINDS: Readonly<Record<EngineKindName, () => Promise<EngineKind<EngineSource>>>> = {
  llama: async () => (await import('@slipway/engine-llama')).llamaKind,
  http: async () => (await import('@slipway/engine-http')).httpKind,
};

/** The kinds of engines that this worker runs, as its heartbeat names them. */
export const RUNNABLE_KINDS: readonly string[] = Object.keys(KINDS);

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
  const kind = await KINDS[name]();
  return kind.create(source, settings);
}

/** Asks an HTTP engine once what loading a deployment of it would ask, without loading anything. Never throws: a fault is the finding. */
export async function tryEngine(
  { url, model }: HttpSource,
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
