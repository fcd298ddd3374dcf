import type { StreamEvent, TokenLogprob } from '@slipway/contracts';

type Part =
  | { readonly k: 'text' | 'think'; x: string }
  | { readonly k: 'call'; readonly i: number; readonly id: string; readonly name: string }
  | { readonly k: 'args'; readonly i: number; x: string };

/** Collects the output of one step of a choice and turns it into events. */
export class StepEvents {
  #parts: Part[] = [];
  #closed = false;
  /** Kind of the last event, for tokens that write nothing. */
  #last: Extract<Part, { x: string }> = { k: 'text', x: '' };

  /** @param choice number of the choice; events of choice 0 omit it. */
  constructor(private readonly choice: number) {}

  text(x: string): void {
    this.#add({ k: 'text', x });
  }

  think(x: string): void {
    this.#add({ k: 'think', x });
  }

  args(i: number, x: string): void {
    this.#add({ k: 'args', i, x });
  }

  /** Ignores all further output. */
  close(): void {
    this.#closed = true;
  }

  call(i: number, id: string, name: string): void {
    if (this.#closed) return;
    this.#parts.push({ k: 'call', i, id, name });
    this.#last = { k: 'args', i, x: '' };
  }

  get empty(): boolean {
    return this.#parts.length === 0;
  }

  /** Characters of text in this step. */
  get chars(): number {
    return this.#parts.reduce((sum, part) => sum + (part.k === 'text' ? part.x.length : 0), 0);
  }

  /** Whether the step has other output than text. */
  get mixed(): boolean {
    return this.#parts.some(({ k }) => k !== 'text');
  }

  /**
   * Returns the events of this step and begins the next one.
   * @param tokens number of tokens in this step, all counted in the first event.
   */
  take(tokens: number, logprobs: readonly TokenLogprob[] | null): StreamEvent[] {
    const parts = this.#parts;
    this.#parts = [];
    if (parts.length === 0 && tokens > 0) parts.push({ ...this.#last, x: '' });
    const lastText = parts.findLastIndex(({ k }) => k === 'text');
    return parts.map((part, i) => ({
      ...part,
      n: i === 0 ? tokens : 0,
      ...(this.choice > 0 && { c: this.choice }),
      ...(i === lastText && logprobs && logprobs.length > 0 && { lp: [...logprobs] }),
    }));
  }

  #add(part: Extract<Part, { x: string }>): void {
    if (part.x === '' || this.#closed) return;
    const last = this.#parts.at(-1);
    this.#last = part;
    if (last?.k === part.k && 'x' in last) last.x += part.x;
    else this.#parts.push(part);
  }
}
