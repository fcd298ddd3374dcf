import { appendEvent, type StreamEvent, type Usage } from '@slipway/contracts';
import type { EngineOutput } from '@slipway/engine';
import { type AnswerWishes, ChoiceRelay } from './choice-relay.js';
import type { UpstreamChunk, UpstreamUsage } from './upstream-chunk.js';

export interface AnswerRelayOptions extends AnswerWishes {
  readonly output: EngineOutput;
  /** Choices that were asked for. */
  readonly choices: number;
  /** The server gives a usage for each choice, which add up. */
  readonly countsApart: boolean;
  /** Prompt tokens to report where the upstream never says. */
  readonly estimatedPrompt: number;
}

const NOT_REPORTED: UpstreamUsage = { prompt: null, completion: null, cached: null, reasoning: null };

const plus = (a: number | null, b: number | null): number | null => (a === null || b === null ? null : a + b);

/** Usages of two choices of one prompt. The second finds in the cache what the first has put there; that is not saved. */
const sumOf = (one: UpstreamUsage, other: UpstreamUsage): UpstreamUsage => ({
  prompt: one.prompt ?? other.prompt,
  completion: plus(one.completion, other.completion),
  cached: one.cached === null || other.cached === null ? null : Math.min(one.cached, other.cached),
  reasoning: plus(one.reasoning, other.reasoning),
});

/** Turns the chunks of one upstream answer into events, and counts. */
export class AnswerRelay {
  readonly #choices: readonly ChoiceRelay[];
  #usage: UpstreamUsage | null = null;
  /** Usages that the server reported. */
  #usages = 0;
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
    if (chunk.usage !== null) this.#count(chunk.usage);
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
    const { prompt, cached, reasoning, ...reported } = this.#usage ?? NOT_REPORTED;
    // Without the usage of every choice the count of relayed tokens is closer.
    const completion = this.#complete ? reported.completion : null;
    const usage: Usage = {
      prompt: prompt ?? (this.#started ? this.options.estimatedPrompt : 0),
      cached: Math.min(cached ?? 0, prompt ?? 0),
      completion: completion ?? this.#estimated,
    };
    if (reasoning !== null) usage.reasoning = reasoning;
    if (prompt === null || completion === null) usage.estimated = true;
    return usage;
  }

  /** Several servers repeat usage with every chunk, of which the last counts. */
  #count(usage: UpstreamUsage): void {
    const apart = this.options.countsApart && this.options.choices > 1;
    this.#usage = apart && this.#usage !== null ? sumOf(this.#usage, usage) : usage;
    this.#usages += 1;
  }

  /** Whether the usage so far covers all choices. */
  get #complete(): boolean {
    return !this.options.countsApart || this.#usages >= this.options.choices;
  }

  #keep(events: readonly StreamEvent[]): void {
    if (events.length === 0) return;
    this.#start();
    for (const event of events) {
      if ('n' in event) this.#estimated += event.n;
      appendEvent(this.#ready, event);
    }
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const { prompt, cached } = this.#usage ?? NOT_REPORTED;
    // Some clients take the prompt's tokens from here alone, so an estimate serves them better than nothing.
    this.#ready.push({ k: 'start', prompt: prompt ?? this.options.estimatedPrompt, ...(cached !== null && { cached }) });
    this.options.output.phase('decode');
  }
}
