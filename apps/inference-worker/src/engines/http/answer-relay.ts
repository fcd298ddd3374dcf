import type { StreamEvent, Usage } from '@slipway/contracts';
import type { EngineOutput } from '../engine.js';
import type { UpstreamChunk, UpstreamUsage } from './upstream-chunk.js';

/** Joins halves of surrogate pairs that JSON escapes can spread over two chunks, and drops lone ones. */
class WholeCharacters {
  #half = '';

  push(text: string): string {
    const all = this.#half + text;
    this.#half = /[\uD800-\uDBFF]$/.exec(all)?.[0] ?? '';
    const whole = this.#half === '' ? all : all.slice(0, -1);
    return whole.replaceAll(/\p{Surrogate}/gu, '');
  }
}

/** Turns the chunks of one upstream answer into events, and counts. */
export class AnswerRelay {
  readonly #text = new WholeCharacters();
  readonly #think = new WholeCharacters();
  #usage: UpstreamUsage | null = null;
  #estimated = 0;
  #started = false;
  #ready: StreamEvent[] = [];
  #finished = false;

  constructor(
    private readonly output: EngineOutput,
    private readonly requestedStops: readonly string[],
    /** Prompt tokens to report where the upstream never says. */
    private readonly estimatedPrompt: number,
  ) {}

  /** Whether the upstream said why the answer ended. */
  get finished(): boolean {
    return this.#finished;
  }

  get started(): boolean {
    return this.#started;
  }

  take(chunk: UpstreamChunk): void {
    // Several servers repeat usage with every chunk; the last one counts.
    if (chunk.usage) this.#usage = chunk.usage;
    if (this.#finished) return;
    const events = [...this.#textEvents(chunk), ...this.#finishEvents(chunk)];
    if (events.length === 0) return;
    this.#start();
    this.#ready.push(...events);
  }

  /** Hands on what was taken since the last time, as one step of the engine: chunks that arrive together go on together. */
  flush(): void {
    if (this.#ready.length === 0) return;
    const events = this.#ready;
    this.#ready = [];
    this.output.events(events);
  }

  /** What the upstream counted, else what passed by here. */
  usage(): Usage {
    const { prompt_tokens: prompt, completion_tokens: completion, ...details } = this.#usage ?? {};
    const reasoning = details.completion_tokens_details?.reasoning_tokens;
    return {
      prompt: prompt ?? (this.#started ? this.estimatedPrompt : 0),
      cached: Math.min(details.prompt_tokens_details?.cached_tokens ?? 0, prompt ?? 0),
      completion: completion ?? this.#estimated,
      ...(reasoning != null && { reasoning }),
      ...((prompt == null || completion == null) && { estimated: true }),
    };
  }

  #textEvents(chunk: UpstreamChunk): StreamEvent[] {
    const events: StreamEvent[] = [];
    const think = this.#think.push(chunk.think);
    const text = this.#text.push(chunk.text);
    // One token per piece is a guess: servers join tokens that make up one character, or that arrive together.
    if (think !== '') events.push({ k: 'think', x: think, n: 1 });
    if (text !== '') events.push({ k: 'text', x: text, n: 1 });
    this.#estimated += events.length;
    return events;
  }

  #finishEvents({ finish, stop }: UpstreamChunk): StreamEvent[] {
    if (finish === null || finish === 'failed') return [];
    this.#finished = true;
    const byString = finish === 'stop' && stop !== null && this.requestedStops.includes(stop);
    return [byString ? { k: 'fin', r: 'stop_sequence', stop } : { k: 'fin', r: finish }];
  }

  #start(): void {
    if (this.#started) return;
    this.#started = true;
    const prompt = this.#usage?.prompt_tokens;
    const cached = this.#usage?.prompt_tokens_details?.cached_tokens;
    this.#ready.push({ k: 'start', ...(prompt != null && { prompt }), ...(cached != null && { cached }) });
    this.output.phase('decode');
  }
}
