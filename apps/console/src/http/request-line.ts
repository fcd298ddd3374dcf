import type { Logger } from '@slipway/platform';

/** What one request's log line may hold: ids and figures, never a password, a token or a query string. */
export interface RequestFields {
  method?: string;
  route?: string;
  status?: number;
  /** Code of the error that the client got. */
  error?: string;
  user_id?: number;
  account_id?: number;
  key_id?: number;
  /** What was called through the MCP server, and what its client calls itself. */
  mcp_tool?: string;
  mcp_client?: string;
  /** Milliseconds until the response was over. */
  ms?: number;
}

/** Collects one wide line over the life of a request. */
export class RequestLine {
  readonly #startedAt = performance.now();
  readonly #fields: RequestFields = {};
  #cause: unknown;

  /** @param address of the client */
  constructor(readonly address: string) {}

  note(fields: RequestFields): void {
    Object.assign(this.#fields, fields);
  }

  /** Keeps what only the log may know of a failure. */
  cause(cause: unknown): void {
    this.#cause = cause;
  }

  write(log: Logger, requestId: string): void {
    const ms = Math.round((performance.now() - this.#startedAt) * 10) / 10;
    const line = {
      request_id: requestId,
      ...this.#fields,
      address: this.address,
      ms,
      ...(this.#cause !== undefined && { err: this.#cause }),
    };
    if ((this.#fields.status ?? 0) >= 500) log.warn(line, 'http.request');
    else log.info(line, 'http.request');
  }
}
