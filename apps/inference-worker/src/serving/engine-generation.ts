import { type AccountId, type CanonicalRequest, type FinishReason, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import { type Engine, type EngineOutput, LazyFacts, type RequestFacts, type UnreadRequest } from '@slipway/engine';
import type { Logger } from '@slipway/platform';
import type { Generation, GenerationResult, StreamWriter } from '@slipway/stream-transport';
import { type EngineBounds, UsageBelief } from '../usage/usage-belief.js';
import { StageClock } from './stage-clock.js';
import { type StartName, StreamLog } from './stream-log.js';

/** Time for an engine to obey an abort, ten times what it promises, in milliseconds. */
const STUCK_AFTER_MS = 5_000;

/** Of a request that is not read yet, and has no answer. */
const UNKNOWN: RequestFacts = { promptBytes: 0, images: 0, maxTokens: undefined, choices: 1 };

/** How a stream ended, as the worker's figures count it. Of one that failed, what was relayed is an estimate. */
export interface Outcome {
  readonly kind: 'done' | 'cancelled' | 'failed';
  readonly usage: Usage;
}

export interface EngineGenerationOptions {
  readonly engine: Engine;
  readonly start: StartName;
  readonly request: CanonicalRequest | UnreadRequest;
  /** Who asked; null where nobody is billed. */
  readonly account: AccountId | null;
  /** What its figures are held against. */
  readonly bounds: EngineBounds;
  readonly log: Logger;
  readonly produced: () => void;
  readonly ended: (outcome: Outcome) => void;
}

/** One admitted stream: the engine's output goes to the transport, counted and timed. Its signal ends it; nothing here limits its time. */
export class EngineGeneration implements Generation {
  readonly #clock = new StageClock();
  #finish: FinishReason | undefined;
  #prompt = 0;
  #cached = 0;
  #belief: UsageBelief;
  #over = false;
  readonly #log: StreamLog;

  constructor(private readonly options: EngineGenerationOptions) {
    this.#log = new StreamLog(options.log, options.start);
    const { request, bounds } = options;
    this.#belief = new UsageBelief(request instanceof Uint8Array ? UNKNOWN : new LazyFacts(request), bounds);
  }

  async run(writer: StreamWriter, signal: AbortSignal): Promise<GenerationResult> {
    try {
      const usage = await this.#generate(this.#outputTo(writer), signal);
      return this.#finished(usage, signal.aborted);
    } catch (error) {
      throw this.#failed(error);
    } finally {
      this.#over = true;
    }
  }

  async #generate(output: EngineOutput, abort: AbortSignal): Promise<Usage> {
    const running = this.options.engine.generate(this.options.request, output, abort);
    let stuck: NodeJS.Timeout | undefined;
    const deaf = new Promise<never>((_, reject) => {
      const giveUp = (): void => reject(new ServiceError('engine_error', 'The engine did not stop when it was told to.'));
      abort.addEventListener('abort', () => (stuck = setTimeout(giveUp, STUCK_AFTER_MS)), { once: true });
    });
    try {
      return await Promise.race([running, deaf]);
    } finally {
      clearTimeout(stuck);
    }
  }

  #outputTo(writer: StreamWriter): EngineOutput {
    return {
      account: this.options.account,
      phase: (phase) => {
        if (this.#over) return;
        this.#clock.enter(phase);
        writer.phase(phase);
      },
      relaxed: (places) => {
        if (!this.#over) writer.relaxed(places);
      },
      read: (facts) => {
        this.#belief = new UsageBelief(facts, this.options.bounds);
      },
      events: (told) => {
        if (this.#over) return;
        this.#clock.enter('decode');
        const events = this.#note(told);
        this.options.produced();
        writer.events(events);
      },
    };
  }

  /** @returns the events with the figures that are believed. */
  #note(told: readonly StreamEvent[]): readonly StreamEvent[] {
    let events = told;
    for (const [i, event] of told.entries()) {
      const believed = this.#belief.event(event);
      if (believed !== event) events = events.with(i, believed);
      if (believed.k === 'start') [this.#prompt, this.#cached] = [believed.prompt ?? 0, believed.cached ?? 0];
    }
    const last = events.at(-1);
    if (last?.k === 'fin') this.#finish = last.r;
    return events;
  }

  #finished(told: Usage, cancelled: boolean): GenerationResult {
    const usage = this.#belief.usage(told);
    const times = this.#clock.times();
    const kind = cancelled ? 'cancelled' : 'done';
    this.options.ended({ kind, usage });
    const { prompt, cached, completion } = usage;
    this.#log.ended(
      { outcome: kind, finish: this.#finish, prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion },
      times,
    );
    return { usage, times };
  }

  #failed(error: unknown): ServiceError {
    const usage = { prompt: this.#prompt, cached: this.#cached, completion: this.#belief.relayed, estimated: true };
    this.options.ended({ kind: 'failed', usage });
    const failure = this.#log.failure(error);
    this.#log.ended({ outcome: 'failed', code: failure.code }, this.#clock.times());
    return failure;
  }
}
