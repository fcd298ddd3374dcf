import { Mismatch, shown } from './check.js';

export type Json = Readonly<Record<string, unknown>>;

/** One event of a stream. */
export interface SseEvent {
  /** The `event:` line; undefined without one. */
  readonly name: string | undefined;
  /** The `data:` line as it came. */
  readonly text: string;
}

/** One HTTP answer, read to its end. */
export class Answer {
  constructor(
    readonly status: number,
    readonly headers: Readonly<Record<string, string | undefined>>,
    readonly text: string,
    /** False where the connection ended before the body did. */
    readonly complete: boolean,
  ) {}

  /** The body as a JSON object. @throws Mismatch when it is none */
  get json(): Json {
    try {
      const value: unknown = JSON.parse(this.text);
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
    } catch {
      // Said below.
    }
    throw new Mismatch('a JSON object', `status ${this.status}, ${shown(this.text)}`);
  }

  /** The body as a JSON object of an answer with 200. @throws Mismatch for another status */
  get ok(): Json {
    this.expectStatus(200);
    return this.json;
  }

  /** The events of a stream, without comments. */
  get events(): readonly SseEvent[] {
    return this.text
      .split(/\r?\n\r?\n/)
      .map((block) => block.split(/\r?\n/))
      .filter((lines) => lines.some((line) => line.startsWith('data:')))
      .map((lines) => ({ name: valueOf(lines, 'event'), text: valueOf(lines, 'data') ?? '' }));
  }

  /** The events whose data are JSON objects. @throws Mismatch for an answer that is no stream */
  get chunks(): readonly Json[] {
    this.expectStatus(200);
    if (this.headers['content-type']?.startsWith('text/event-stream') !== true) {
      throw new Mismatch('content-type text/event-stream', this.headers['content-type'] ?? 'none');
    }
    return this.events.filter(({ text }) => text.startsWith('{')).map(({ text }) => JSON.parse(text) as Json);
  }

  /** @throws Mismatch for another status, with the body that came */
  expectStatus(...statuses: readonly number[]): this {
    if (statuses.includes(this.status)) return this;
    throw new Mismatch(`status ${statuses.join(' or ')}`, `${this.status}: ${shown(this.text)}`);
  }
}

function valueOf(lines: readonly string[], field: string): string | undefined {
  const line = lines.find((candidate) => candidate.startsWith(`${field}:`));
  return line?.slice(field.length + 1).trim();
}
