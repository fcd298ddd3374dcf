import { type AccountId, type CanonicalRequest, TOKENS_MAX, type Usage } from '@slipway/contracts';
import type { Engine, UnreadRequest } from '@slipway/engine';
import type { Generation, GenerationResult, StreamWriter } from '@slipway/stream-transport';
import { StageClock } from './engine-generation.js';
import type { StreamEnd, StreamLog } from './stream-log.js';

export interface EngineCountOptions {
  readonly engine: Engine;
  readonly request: CanonicalRequest | UnreadRequest;
  /** The account that asked; null = none is billed. */
  readonly account: AccountId | null;
  readonly log: StreamLog;
  readonly ended: () => void;
}

/** One token count. Its stream has a single event: the `start` of a generation of the same request. */
export class EngineCount implements Generation {
  readonly #clock = new StageClock();

  constructor(private readonly options: EngineCountOptions) {}

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
      const failure = this.options.log.failure(error);
      this.options.log.ended({ outcome: 'failed', code: failure.code }, this.#clock.times());
      throw failure;
    } finally {
      ended();
    }
  }

  #ended(end: StreamEnd, usage: Usage): GenerationResult {
    const times = this.#clock.times();
    this.options.log.ended(end, times);
    return { usage, times };
  }
}
