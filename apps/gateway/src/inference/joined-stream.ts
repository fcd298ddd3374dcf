import { type EndFrame, type Incarnation, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import type { OpenStream, StreamSink } from '@slipway/stream-transport';

/** One part of a request. */
export interface StreamPart {
  /** Number of its first text. */
  readonly first: number;
  /** Opens its stream, which delivers nothing before this has returned. */
  readonly open: (sink: StreamSink) => OpenStream;
}

/** The end frame of all parts, without what only one stream has. */
const END = { k: 'end', q: 0, fin: 'done', sum: 0, tm: { queue: 0, prefill: 0, total: 0 } } as const;
/** The name of a text in an error of its part. */
const TEXT = /^input\[(\d+)\]$/;

/**
 * The streams of a request's parts as one stream: vectors get the numbers of their texts, and counts are added. The first part that
 * fails ends all others.
 */
export class JoinedStream implements OpenStream {
  readonly #waiting: StreamPart[];
  readonly #running = new Set<OpenStream>();
  #left: number;
  #usage: Usage = { prompt: 0, cached: 0, completion: 0 };
  #over = false;
  #cancelling: Promise<Usage | null> | null = null;

  /** @param atOnce parts that run at the same time; the others follow as these end. */
  constructor(
    parts: readonly StreamPart[],
    atOnce: number,
    private readonly sink: StreamSink,
  ) {
    this.#waiting = [...parts];
    this.#left = parts.length;
    for (let i = 0; i < atOnce; i += 1) this.#openNext();
  }

  cancel(why: string): Promise<Usage | null> {
    this.#over = true;
    this.#cancelling ??= this.#cancelAll(why);
    return this.#cancelling;
  }

  #openNext(): void {
    const part = this.#waiting.shift();
    if (!part || this.#over) return;
    const stream = part.open({
      accepted: (worker: Incarnation, attempt: number) => {
        if (!this.#over) this.sink.accepted(worker, attempt);
      },
      events: (events) => this.#events(events, part.first),
      end: ({ usage }) => this.#ended(stream, usage),
      error: (error) => this.#failed(stream, error, part.first),
    });
    this.#running.add(stream);
  }

  /** `start` events count one part alone, so they are left out. */
  #events(events: readonly StreamEvent[], first: number): void {
    if (this.#over) return;
    const vectors = events.flatMap((event) => (event.k === 'vec' ? [{ ...event, i: first + event.i }] : []));
    if (vectors.length > 0) this.sink.events(vectors);
  }

  #ended(stream: OpenStream, usage: Usage): void {
    this.#running.delete(stream);
    if (this.#over) return;
    this.#usage = sumOf(this.#usage, usage);
    this.#left -= 1;
    if (this.#left > 0) {
      this.sink.events([{ k: 'start', prompt: this.#usage.prompt }]);
      this.#openNext();
      return;
    }
    this.#over = true;
    this.sink.end({ ...END, usage: this.#usage } satisfies EndFrame);
  }

  #failed(stream: OpenStream, error: ServiceError, first: number): void {
    this.#running.delete(stream);
    if (this.#over) return;
    this.#over = true;
    void this.#cancelAll(error.code);
    this.sink.error(withTextNumber(error, first));
  }

  /** @returns the counts of what ended and of what was cancelled; null where no part reported any. */
  async #cancelAll(why: string): Promise<Usage | null> {
    const counts = await Promise.all([...this.#running].map((stream) => stream.cancel(why)));
    const known = counts.filter((usage) => usage !== null);
    const sum = known.reduce(sumOf, this.#usage);
    if (known.length === counts.length) return sum;
    return sum.prompt === 0 ? null : { ...sum, estimated: true };
  }
}

const sumOf = (one: Usage, other: Usage): Usage => ({
  prompt: one.prompt + other.prompt,
  cached: one.cached + other.cached,
  completion: one.completion + other.completion,
  ...((one.estimated === true || other.estimated === true) && { estimated: true }),
});

/** A part numbers its texts from 0. */
function withTextNumber(error: ServiceError, first: number): ServiceError {
  const index = TEXT.exec(error.param ?? '')?.[1];
  if (index === undefined) return error;
  const { code, message, retryAfterS, facts, cause } = error;
  return new ServiceError(code, message, { param: `input[${first + Number(index)}]`, retryAfterS, facts, cause });
}
