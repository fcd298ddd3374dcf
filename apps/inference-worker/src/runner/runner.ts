import { type AssignmentItem, Incarnation } from '@slipway/contracts';
import { type Logger, type NatsConnection, nuid } from '@slipway/platform';
import { StreamSender } from '@slipway/stream-transport';
import { type Engine, type EngineFacts, EngineLoadError } from '../engines/engine.js';
import { Admission } from '../serving/admission.js';
import type { RunnerFacts, RunnerFigures } from './runner-messages.js';

const CHECK_EVERY_MS = 5_000;
/** Failed checks in a row after which the engine counts as lost. */
const CHECKS_TO_LOSE = 3;

export interface RunnerOptions {
  readonly engine: Engine;
  readonly nats: NatsConnection;
  readonly env: string;
  readonly item: AssignmentItem;
  readonly zone: string | null;
  readonly log: Logger;
  /** The engine was ready and can answer no more; the runner serves nothing from here on. */
  readonly lost: (error: EngineLoadError) => void;
}

/** Serves one revision of one deployment: its engine on one side, the stream protocol on the other. */
export class Runner {
  readonly wk = Incarnation.parse(nuid.next());
  #serving: { readonly admission: Admission; readonly sender: StreamSender } | undefined;
  #checks: NodeJS.Timeout | undefined;
  #failedChecks = 0;
  #outputsSeen = 0;
  readonly #stopped = new AbortController();

  constructor(private readonly options: RunnerOptions) {}

  /**
   * Loads the engine, then takes starts.
   * @throws EngineLoadError; the signal's reason after an abort.
   */
  async start(onProgress: (progress: number) => void, signal: AbortSignal): Promise<RunnerFacts> {
    const facts = await this.options.engine.load(onProgress, AbortSignal.any([signal, this.#stopped.signal]));
    this.#stopped.signal.throwIfAborted();
    this.#serve(facts);
    this.#checks = setInterval(() => void this.#check(), CHECK_EVERY_MS);
    return { wk: this.wk, ...facts, caps: [...facts.caps] };
  }

  /** Counted since the start; null before the engine is loaded. */
  figures(): RunnerFigures | null {
    if (!this.#serving) return null;
    const { admission, sender } = this.#serving;
    return { ...admission.figures(), rejected: sender.counters.rejected };
  }

  /** Takes nothing new, lets running streams end within the time, then frees everything. */
  async stop(deadlineMs: number): Promise<void> {
    this.#stopped.abort(new Error('The runner stops.'));
    clearInterval(this.#checks);
    this.#serving?.admission.close();
    await this.#serving?.sender.drain(deadlineMs);
    await this.options.engine.unload();
    await this.#serving?.sender.stop();
  }

  #serve(facts: EngineFacts): void {
    const { engine, nats, env, item, zone, log } = this.options;
    const admission = new Admission({ engine, item, slots: facts.slots, log, loadChanged: () => sender.loadChanged() });
    const sender = new StreamSender({
      nats,
      env,
      wk: this.wk,
      dep: item.dep,
      rev: item.rev,
      fingerprint: facts.fingerprint,
      caps: facts.caps,
      zone,
      admit: (start) => admission.admit(start),
      load: () => admission.load(),
      log,
    });
    sender.start();
    this.#serving = { admission, sender };
  }

  async #check(): Promise<void> {
    const outputs = this.#serving?.admission.outputs ?? 0;
    const busy = outputs !== this.#outputsSeen;
    this.#outputsSeen = outputs;
    // A server at its limit may be slow to answer questions about its health.
    if (busy) this.#failedChecks = 0;
    else await this.#ask();
  }

  async #ask(): Promise<void> {
    try {
      await this.options.engine.check(AbortSignal.any([this.#stopped.signal, AbortSignal.timeout(CHECK_EVERY_MS)]));
      this.#failedChecks = 0;
    } catch (error) {
      if (this.#stopped.signal.aborted) return;
      this.#failedChecks += 1;
      if (this.#failedChecks < CHECKS_TO_LOSE) return;
      clearInterval(this.#checks);
      this.options.lost(
        error instanceof EngineLoadError
          ? error
          : new EngineLoadError('engine_unreachable', 'The engine does not answer.', { cause: error }),
      );
    }
  }
}
