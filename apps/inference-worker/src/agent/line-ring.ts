import { LOG_LINE_CHARS, LOG_RING_LINES, type LogLine } from '@slipway/contracts';

export interface WantedLines {
  readonly after?: number | undefined;
  readonly isWanted?: (line: LogLine) => boolean;
}

/** The newest lines of one deployment's log. */
export class LineRing {
  readonly #lines: LogLine[] = [];
  #next = 0;

  add(line: LogLine): void {
    this.#lines[this.#next] = { ...line, text: line.text.slice(0, LOG_LINE_CHARS) };
    this.#next = (this.#next + 1) % LOG_RING_LINES;
  }

  /** At most `count` wanted lines of together at most `bytes` as JSON, oldest first. @param after only lines with higher numbers */
  newest(count: number, bytes: number, { after = 0, isWanted = () => true }: WantedLines = {}): LogLine[] {
    const found: LogLine[] = [];
    let size = 0;
    for (let back = 1; back <= this.#lines.length && found.length < count; back += 1) {
      const line = this.#lines[(this.#next - back + LOG_RING_LINES) % LOG_RING_LINES];
      if (!line || (line.no ?? Infinity) <= after) break;
      if (!isWanted(line)) continue;
      size += Buffer.byteLength(JSON.stringify(line)) + 1;
      if (size > bytes) break;
      found.push(line);
    }
    // What a runner wrote may arrive after what its agent wrote meanwhile.
    return found.reverse().sort((a, b) => a.at - b.at);
  }
}
