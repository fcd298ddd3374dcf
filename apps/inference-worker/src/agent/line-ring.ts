import { LOG_LINE_CHARS, LOG_RING_LINES, type LogLine } from '@slipway/contracts';

/** The newest lines of one deployment's log. */
export class LineRing {
  readonly #lines: LogLine[] = [];
  #next = 0;

  add({ at, rev, text }: LogLine): void {
    this.#lines[this.#next] = { at, rev, text: text.slice(0, LOG_LINE_CHARS) };
    this.#next = (this.#next + 1) % LOG_RING_LINES;
  }

  /** At most `count` lines of together at most `bytes` as JSON, oldest first. */
  newest(count: number, bytes: number): LogLine[] {
    const found: LogLine[] = [];
    let size = 0;
    for (let back = 1; back <= Math.min(count, this.#lines.length); back += 1) {
      const line = this.#lines[(this.#next - back + LOG_RING_LINES) % LOG_RING_LINES];
      if (!line) break;
      size += Buffer.byteLength(JSON.stringify(line)) + 1;
      if (size > bytes) break;
      found.push(line);
    }
    // What a runner wrote may arrive after what its agent wrote meanwhile.
    return found.reverse().sort((a, b) => a.at - b.at);
  }
}
