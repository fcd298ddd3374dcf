import type { Logger } from '@slipway/platform';

/** What one request's log line may hold: ids and figures, never a key, a prompt, an answer or a query string. */
export interface RequestFields {
  method?: string;
  route?: string;
  status?: number;
  /** Code of the error that the client got. */
  error?: string;
  account_id?: number;
  key_id?: number;
  deployment_id?: number;
  alias?: string;
  stream?: boolean;
  stream_id?: string;
  worker?: string;
  attempts?: number;
  /** Why the generation ended, or `cancelled`. */
  finish?: string;
  prompt_tokens?: number;
  cached_tokens?: number;
  completion_tokens?: number;
  /** Time to first token, in milliseconds from the request's first byte. */
  ttft_ms?: number;
  /** Milliseconds until the response was over. */
  ms?: number;
}

/** Collects one wide line over the life of a request. */
export class RequestLine {
  readonly startedAt = performance.now();
  readonly #fields: RequestFields = {};
  #cause: unknown;
  #settled: Promise<void> = Promise.resolve();

  constructor(private readonly id: string) {}

  get fields(): Readonly<RequestFields> {
    return this.#fields;
  }

  note(fields: RequestFields): void {
    Object.assign(this.#fields, fields);
  }

  /** Says why the request failed; what comes after the first reason is its consequence. */
  blame(code: string): void {
    this.#fields.error ??= code;
  }

  /** The line is not complete before this resolves, however soon the response is over. */
  waitFor(settled: Promise<void>): void {
    this.#settled = settled;
  }

  get settled(): Promise<void> {
    return this.#settled;
  }

  /** Milliseconds since the request came, with a tenth's precision. */
  elapsed(): number {
    return Math.round((performance.now() - this.startedAt) * 10) / 10;
  }

  /** Keeps what only the log may know of a failure. */
  cause(cause: unknown): void {
    this.#cause = cause;
  }

  write(log: Logger): void {
    const line = { request_id: this.id, ...this.#fields, ...(this.#cause !== undefined && { err: this.#cause }) };
    const { status = 0 } = this.#fields;
    if (status >= 500) log.warn(line, 'http.request');
    else log.info(line, 'http.request');
  }
}
