import type { StreamEvent, Usage } from '@slipway/contracts';
import type { EngineOutput } from '../engine.js';
import { type AnswerWishes, ChoiceRelay } from './choice-relay.js';
import type { UpstreamChunk } from './upstream-chunk.js';
import type { UpstreamUsage } from './upstream-usage.js';

export interface AnswerRelayOptions extends AnswerWishes {
  readonly output: EngineOutput;
  /** Choices that were asked for. */
  readonly choices: number;
  /** Prompt tokens to report where the upstream never says. */
  readonly estimatedPrompt: number;
}

const NOT_TOLD: UpstreamUsage = { prompt: null, completion: null, cached: null, reasoning: null };

/** Turns the chunks of one upstream answer into events, and counts. */
export class AnswerRelay {
  readonly #choices: readonly ChoiceRelay[];
  #usage: UpstreamUsage | null = null;
  #estimated = 0;
  #started = false;
  #unfinished: number;
  #ready: StreamEvent[] = [];

  constructor(private readonly options: AnswerRelayOptions) {
    this.#choices = Array.from({ length: options.choices }, (_, choice) => new ChoiceRelay(choice, options));
    this.#unfinished = options.choices;
  }

  /** Whether every choice has its end. */
  get finished(): boolean {
    return this.#unfinished === 0;
  }

  get started(): boolean {
    return this.#started;
  }

  /** All is said, but the upstream goes on with an answer that was ended here. */
  get overdue(): boolean {
    return this.finished && this.#choices.some(({ cut }) => cut);
  }

  /** @throws ServiceError when a call is broken at its end. */
  take(chunk: UpstreamChunk): void {
    // Several servers repeat usage with every chunk; the last one counts.
    if (chunk.usage !== null) this.#usage = chunk.usage;
    for (const delta of chunk.choices) {
      const relay = this.#choices[delta.index];
      if (relay === undefined || relay.finished) continue;
      this.#keep(relay.take(delta));
      if (relay.finished) this.#unfinished -= 1;
    }
  }

  /** Hands on what was taken since the last time, as one step of the engine: chunks that arrive together go on together. */
  flush(): void {
    if (this.#ready.length === 0) return;
    const events = this.#ready;
    this.#ready = [];
    this.options.output.events(events);
  }

  /** What the upstream counted, else what passed by here. */
  usage(): Usage {
    const { prompt, completion, cached, reasoning } = this.#usage ?? NOT_TOLD;
    const usage: Usage = {
      prompt: prompt ?? (this.#started ? this.options.estimatedPrompt : 0),
      cached: Math.min(cached ?? 0, prompt ?? 0),
      completion: completion ?? this.#estimated,
    };
    if (reasoning !== null) usage.reasoning = reasoning;
    if (prompt === null || completion === null) usage.estimated = true;
    return usage;
  }

  #keep(events: readonly StreamEvent[]): void {
    if (events.length === 0) return;
    this.#start();
    for (const event of events) {
      if ('n' in event) this.#estimated += event.n;
      this.#ready.push(event);
    }
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const { prompt, cached } = this.#usage ?? NOT_TOLD;
    this.#ready.push({ k: 'start', ...(prompt !== null && { prompt }), ...(cached !== null && { cached }) });
    this.options.output.phase('decode');
  }
}
