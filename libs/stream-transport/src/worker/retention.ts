/** Largest body of a replay frame, in characters of JSON. */
const REPLAY_CHARS = 128 * 1024;

interface Chunk {
  /** Position of the first event. */
  readonly q: number;
  /** Events in it. */
  readonly n: number;
  /** The events as JSON, joined by commas, without brackets. */
  readonly json: string;
}

/** The unacknowledged events of one stream, as the JSON in which they were sent. */
export class Retention {
  #chunks: Chunk[] = [];
  #end = 0;

  /** Events produced so far: the position of the next one. */
  get produced(): number {
    return this.#end;
  }

  /** Chunks retained. */
  get held(): number {
    return this.#chunks.length;
  }

  /** Retains `n` events. @returns the position of the first. */
  add(n: number, json: string): number {
    const q = this.#end;
    this.#chunks.push({ q, n, json });
    this.#end += n;
    return q;
  }

  /** Drops every chunk whose events are all below `next`. */
  acknowledge(next: number): void {
    const chunks = this.#chunks;
    let known = 0;
    for (let chunk = chunks[0]; chunk && chunk.q + chunk.n <= next; chunk = chunks[known]) known += 1;
    // A copy, since an array keeps the room that it has had.
    if (known > 0) this.#chunks = chunks.slice(known);
  }

  /** The events from `from` on, and earlier ones of the same chunk, in frames of up to 128 Ki characters. */
  *replay(from: number): Generator<{ q: number; json: string }> {
    let q = -1;
    let parts: string[] = [];
    let size = 0;
    for (const chunk of this.#chunks) {
      if (chunk.q + chunk.n <= from) continue;
      if (q >= 0 && size + chunk.json.length > REPLAY_CHARS) {
        yield { q, json: parts.join(',') };
        q = -1;
        parts = [];
        size = 0;
      }
      if (q < 0) q = chunk.q;
      parts.push(chunk.json);
      size += chunk.json.length;
    }
    if (q >= 0) yield { q, json: parts.join(',') };
  }
}
