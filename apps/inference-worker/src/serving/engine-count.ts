import { type AccountId, type CanonicalRequest, TOKENS_MAX, type Usage } from '@slipway/contracts';
import type { Engine, UnreadRequest } from '@slipway/engine';
import type { Logger } from '@slipway/platform';
import type { Generation, GenerationResult, StreamWriter } from '@slipway/stream-transport';
import { StageClock, type StartName, StreamLog } from './engine-generation.js';

export interface EngineCountOptions {
  readonly engine: Engine;
  readonly start: StartName;
  readonly request: CanonicalRequest | UnreadRequest;
  /** The account that asked; null = none is billed. */
  readonly account: AccountId | null;
  /** Trace of the request, for the log. */
  readonly traceId: string | undefined;
  readonly log: Logger;
  readonly ended: () => void;
}

/** One token count. Its stream has a single event: the `start` of a generation of the same request. */
export class EngineCount implements Generation {
  readonly #clock = new StageClock();
  readonly #log: StreamLog;

  constructor(private readonly options: EngineCountOptions) {
    this.#log = new StreamLog(options.log, options.start, options.traceId);
  }

  async run(writer: StreamWriter, signal: AbortSignal): Promise<GenerationResult> {
    const { engine, request, account, ended } = this.options;
    try {
      const { tokens: counted, exact } = await engine.count(request, signal, account);
      const tokens = Math.min(counted, TOKENS_MAX);
      writer.events([{ k: 'start', prompt: tokens }]);
      const usage: Usage = { prompt: tokens, cached: 0, completion: 0, ...(!exact && { estimated: true }) };
      return this.#ended({ outcome: 'done', prompt_tokens: tokens }, usage);
    } catch (error) {
      if (signal.aborted) return this.#ended({ outcome: 'cancelled' }, { prompt: 0, cached: 0, completion: 0 });
      const failure = this.#log.failure(error);
      this.#log.ended({ outcome: 'failed', code: failure.code }, this.#clock.times());
      throw failure;
    } finally {
      ended();
    }
  }

  #ended(fields: Record<string, unknown>, usage: Usage): GenerationResult {
    const times = this.#clock.times();
    this.#log.ended(fields, times);
    return { usage, times };
  }
}
