import { type AssignmentItem, type Incarnation, ServiceError } from '@slipway/contracts';
import type { Engine, EngineFacts, EngineLoadError } from '@slipway/engine';
import type { Logger, NatsConnection, Tracing } from '@slipway/platform';
import { StreamSender } from '@slipway/stream-transport';
import { Admission } from '../serving/admission.js';
import { OrphanReporter } from '../usage/orphan-reporter.js';
import { EngineWatch } from './engine-watch.js';
import type { DrainOptions, RunnerFacts, RunnerFigures } from './runner-messages.js';

export interface RunnerOptions {
  /** Incarnation of this runner. */
  readonly wk: Incarnation;
  readonly engine: Engine;
  readonly nats: NatsConnection;
  readonly env: string;
  readonly item: AssignmentItem;
  readonly zone: string | null;
  readonly log: Logger;
  readonly tracing: Pick<Tracing, 'begin' | 'record'>;
  /** Called when a loaded engine fails for good; the runner can serve nothing after that. */
  readonly lost: (error: EngineLoadError) => void;
  /** Called when the runner has ended and no longer uses the connection. */
  readonly freed?: () => Promise<void>;
}

const deploymentStopped = (): ServiceError => new ServiceError('deployment_stopped', 'The deployment was stopped while it was answering.');

interface Deferred {
  readonly promise: Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

function deferred(): Deferred {
  let resolve: Deferred['resolve'] = () => undefined;
  let reject: Deferred['reject'] = () => undefined;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Serves one replica: connects its engine to the stream protocol. */
export class Runner {
  #serving: { readonly admission: Admission; readonly sender: StreamSender; readonly orphans: OrphanReporter } | undefined;
  #watch: EngineWatch | undefined;
  readonly #stopped = new AbortController();
  readonly #drained = deferred();
  #stopping: Promise<void> | undefined;

  constructor(private readonly options: RunnerOptions) {}

  /**
   * Loads the engine, then takes starts.
   * @throws EngineLoadError; the signal's reason after an abort.
   */
  async start(onProgress: (progress: number) => void, signal: AbortSignal): Promise<RunnerFacts> {
    const facts = await this.options.engine.load(onProgress, AbortSignal.any([signal, this.#stopped.signal]));
    this.#stopped.signal.throwIfAborted();
    this.#serve(facts);
    return { wk: this.options.wk, ...facts, caps: [...facts.caps] };
  }

  /** Counts since the start; null before the engine is loaded. */
  figures(): RunnerFigures | null {
    if (!this.#serving) return null;
    const { admission, sender } = this.#serving;
    return { ...admission.figures(), rejected: sender.counters.rejected };
  }

  /** Admits no new streams, lets running ones end within the time, then unloads the engine. Called again, the earlier deadline counts. */
  stop({ deadlineMs, stopped }: DrainOptions): Promise<void> {
    this.#stopped.abort(new Error('The runner stops.'));
    this.#watch?.stop();
    this.#serving?.admission.close();
    const drained = this.#serving?.sender.drain(deadlineMs, stopped ? deploymentStopped() : undefined) ?? Promise.resolve(0);
    drained.then(this.#drained.resolve, this.#drained.reject);
    this.#stopping ??= this.#free();
    return this.#stopping;
  }

  async #free(): Promise<void> {
    await this.#drained.promise;
    await this.options.engine.unload();
    await this.#serving?.sender.stop();
    await this.#serving?.orphans.stop();
    await this.options.freed?.();
  }

  #serve(facts: EngineFacts): void {
    const { engine, nats, env, item, zone, log, tracing, lost } = this.options;
    const orphans = new OrphanReporter({ nats, env, log });
    const admission = new Admission({
      engine,
      item,
      slots: facts.slots,
      context: facts.context,
      log,
      tracing,
      loadChanged: () => sender.loadChanged(),
      counted: (ended) => orphans.ended(ended),
    });
    const sender = new StreamSender({
      nats,
      env,
      wk: this.options.wk,
      dep: item.dep,
      rev: item.rev,
      fingerprint: facts.fingerprint,
      caps: facts.caps,
      zone,
      refusal: (start) => admission.refusal(start),
      admit: (start, origin) => admission.admit(start, origin),
      admitUnread: engine.takesUnread === true ? (start, origin) => admission.admit(start, origin) : undefined,
      load: () => admission.load(),
      log,
    });
    orphans.start();
    sender.start();
    this.#serving = { admission, sender, orphans };
    this.#watch = new EngineWatch({
      check: (signal) => engine.check(signal),
      outputs: () => admission.outputs,
      firstOutputMs: () => admission.firstOutputMs,
      lost,
    });
    void engine.lost?.then((error) => {
      if (!this.#stopped.signal.aborted) lost(error);
    });
  }
}
