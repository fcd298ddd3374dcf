import {
  type AccountId,
  type CanonicalRequest,
  type FinishReason,
  ServiceError,
  type StreamEvent,
  type StreamTimes,
  type Usage,
} from '@slipway/contracts';
import { type Engine, type EngineOutput, LazyFacts, NoSlotError, type RequestFacts, type UnreadRequest } from '@slipway/engine';
import type { TraceHeaders } from '@slipway/platform';
import type { Generation, GenerationResult, StreamWriter } from '@slipway/stream-transport';
import { type EngineBounds, UsageCheck } from '../usage/usage-check.js';
import type { StartName, StreamLog } from './stream-log.js';

type Phase = 'queue' | 'prefill' | 'decode';

/** Measures how long one stream spent in which stage, in milliseconds. */
export class StageClock {
  readonly #started = performance.now();
  #prefill: number | undefined;
  #decode: number | undefined;

  /** The stream is in `phase` from now on; repeating it is harmless. */
  enter(phase: Phase): void {
    if (phase === 'prefill') this.#prefill ??= performance.now();
    if (phase === 'decode') this.#decode ??= performance.now();
  }

  /** Times so far. A stage that was never entered took no time. */
  times(): StreamTimes {
    const now = performance.now();
    const prefill = this.#prefill ?? this.#decode ?? now;
    const decode = this.#decode ?? now;
    const round = (ms: number): number => Math.max(0, Math.round(ms * 10) / 10);
    return { queue: round(prefill - this.#started), prefill: round(decode - prefill), total: round(now - this.#started) };
  }
}

/** Time for an engine to end after an abort, ten times what it promises, in milliseconds. */
const STUCK_AFTER_MS = 5_000;

/** The facts of a request that is not parsed yet. */
const UNKNOWN: RequestFacts = { promptBytes: 0, images: 0, maxTokens: undefined, choices: 1 };

/** How a stream ended. The usage of a failed one is estimated from the relayed events; one that is `busy` got no slot, and has none. */
export interface Outcome {
  readonly kind: 'done' | 'cancelled' | 'failed' | 'busy';
  readonly usage: Usage;
}

export interface EngineGenerationOptions {
  readonly engine: Engine;
  readonly start: StartName;
  readonly request: CanonicalRequest | UnreadRequest;
  /** The account that asked; null = none is billed. */
  readonly account: AccountId | null;
  /** What the engine's server is sent of this worker's span; absent where the gateway sent no trace. */
  readonly trace: TraceHeaders | undefined;
  /** Bounds of the engine's own token counts. */
  readonly bounds: EngineBounds;
  readonly log: StreamLog;
  readonly produced: () => void;
  readonly ended: (outcome: Outcome) => void;
}

/** One admitted stream: relays the engine's output to the transport, counts it and measures its times. Only its signal limits its time. */
export class EngineGeneration implements Generation {
  readonly #clock = new StageClock();
  #finish: FinishReason | undefined;
  #prompt = 0;
  #cached = 0;
  #check: UsageCheck;
  #over = false;

  constructor(private readonly options: EngineGenerationOptions) {
    const { request, bounds } = options;
    this.#check = new UsageCheck(request instanceof Uint8Array ? UNKNOWN : new LazyFacts(request), bounds);
  }

  async run(writer: StreamWriter, signal: AbortSignal): Promise<GenerationResult | 'busy'> {
    try {
      const usage = await this.#generate(this.#outputTo(writer), signal);
      return this.#finished(usage, signal.aborted);
    } catch (error) {
      if (error instanceof NoSlotError) return this.#waited();
      throw this.#failed(error);
    } finally {
      this.#over = true;
    }
  }

  async #generate(output: EngineOutput, abort: AbortSignal): Promise<Usage> {
    const running = this.#work(output, abort);
    let stuck: NodeJS.Timeout | undefined;
    const unresponsive = new Promise<never>((_, reject) => {
      const giveUp = (): void => reject(new ServiceError('engine_error', 'The engine did not stop after it was cancelled.'));
      abort.addEventListener('abort', () => (stuck = setTimeout(giveUp, STUCK_AFTER_MS)), { once: true });
    });
    try {
      return await Promise.race([running, unresponsive]);
    } finally {
      clearTimeout(stuck);
    }
  }

  #work(output: EngineOutput, abort: AbortSignal): Promise<Usage> {
    const { engine, request, start } = this.options;
    if (start.api !== 'embed') return engine.generate(request, output, abort);
    return engine.embed?.(request, output, abort) ?? Promise.reject(new ServiceError('invalid_request', 'This model makes no embeddings.'));
  }

  #outputTo(writer: StreamWriter): EngineOutput {
    return {
      account: this.options.account,
      trace: this.options.trace,
      phase: (phase) => {
        if (this.#over) return;
        this.#clock.enter(phase);
        writer.phase(phase);
      },
      relaxed: (places) => {
        if (!this.#over) writer.relaxed(places);
      },
      read: (facts) => {
        this.#check = new UsageCheck(facts, this.options.bounds);
      },
      events: (reported) => {
        if (this.#over) return;
        this.#clock.enter('decode');
        const events = this.#note(reported);
        this.options.produced();
        writer.events(events);
      },
    };
  }

  /** Counts the events. @returns them, with token counts that cannot be true replaced */
  #note(reported: readonly StreamEvent[]): readonly StreamEvent[] {
    let events = reported;
    for (const [i, event] of reported.entries()) {
      const checked = this.#check.event(event);
      if (checked !== event) events = events.with(i, checked);
      if (checked.k === 'start') [this.#prompt, this.#cached] = [checked.prompt ?? 0, checked.cached ?? 0];
    }
    const last = events.at(-1);
    if (last?.k === 'fin') this.#finish = last.r;
    return events;
  }

  #finished(reported: Usage, cancelled: boolean): GenerationResult {
    const usage = this.#check.usage(reported);
    const times = this.#clock.times();
    const kind = cancelled ? 'cancelled' : 'done';
    this.options.ended({ kind, usage });
    const { prompt, cached, completion } = usage;
    this.options.log.ended(
      { outcome: kind, finish: this.#finish, prompt_tokens: prompt, cached_tokens: cached, completion_tokens: completion },
      times,
    );
    return { usage, times };
  }

  #waited(): 'busy' {
    this.options.ended({ kind: 'busy', usage: { prompt: 0, cached: 0, completion: 0 } });
    this.options.log.ended({ outcome: 'busy' }, this.#clock.times());
    return 'busy';
  }

  #failed(error: unknown): ServiceError {
    const usage = { prompt: this.#prompt, cached: this.#cached, completion: this.#check.relayed, estimated: true };
    this.options.ended({ kind: 'failed', usage });
    const failure = this.options.log.failure(error);
    this.options.log.ended({ outcome: 'failed', code: failure.code }, this.#clock.times());
    return failure;
  }
}
