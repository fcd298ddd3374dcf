/** Reads server-sent events out of text that comes in pieces (WHATWG, 9.2.6). Comments and unknown fields are left out. */
export class SseParser {
  #rest = '';
  #data: string[] = [];

  /** The data of each event that is complete with this piece. */
  push(piece: string): string[] {
    const lines = (this.#rest + piece).split(/\r\n|\n|\r(?!$)/);
    this.#rest = lines.pop() ?? '';
    return lines.flatMap((line) => this.#take(line));
  }

  #take(line: string): string[] {
    if (line === '') {
      const event = this.#data;
      this.#data = [];
      return event.length === 0 ? [] : [event.join('\n')];
    }
    const field = /^data(?:: ?(.*))?$/s.exec(line);
    if (field) this.#data.push(field[1] ?? '');
    return [];
  }
}
