import type { Logger } from './logger.js';

/** What the log line of every HTTP request holds. A service adds fields of its own: ids and figures, never a secret or a text. */
export interface CommonRequestFields {
  method?: string;
  /** The route's pattern, which names no id and no query string. */
  route?: string;
  status?: number;
  /** Code of the error that the client got. */
  error?: string;
  account_id?: number;
  key_id?: number;
  /** Milliseconds until the response was over. */
  ms?: number;
}

/**
 * The log line of one HTTP request, `http.request`: collected while the request runs and written once. A status from 500 on is
 * a warning.
 */
export class RequestLine<Fields extends CommonRequestFields = CommonRequestFields> {
  readonly startedAt = performance.now();
  readonly #fields: Fields & { readonly request_id: string };
  #cause: unknown;

  /**
   * @param names what the line will note, undefined, in an object of its own. V8 turns an object that gets more than a dozen further
   *   names by assignment into a dictionary, which makes a line of twenty a third dearer.
   */
  constructor(requestId: string, names: object = {}) {
    this.#fields = Object.assign(names, { request_id: requestId }) as Fields & { readonly request_id: string };
  }

  get fields(): Readonly<Fields> {
    return this.#fields;
  }

  note(fields: Partial<Fields>): void {
    Object.assign(this.#fields, fields);
  }

  /** Keeps what only the log may know of a failure. */
  cause(cause: unknown): void {
    this.#cause = cause;
  }

  /** Milliseconds since the request came, with a tenth's precision. */
  elapsed(): number {
    return Math.round((performance.now() - this.startedAt) * 10) / 10;
  }

  write(log: Logger): void {
    const line: object = this.#cause === undefined ? this.#fields : { ...this.#fields, err: this.#cause };
    if ((this.#fields.status ?? 0) >= 500) log.warn(line, 'http.request');
    else log.info(line, 'http.request');
  }
}
