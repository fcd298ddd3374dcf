import { type CommonRequestFields, RequestLine } from '@slipway/platform';

/** What the log line of one request to a deployment may hold: ids and figures, never a key, a prompt or an answer. */
export interface InferenceFields extends CommonRequestFields {
  deployment_id?: number;
  alias?: string;
  /** Trace of the request, 32 hex digits. */
  trace_id?: string;
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
}

/** Every name of a line, in the order in which it shows them. */
const namesOfLine = (): Record<'request_id' | keyof InferenceFields, undefined> => ({
  request_id: undefined,
  trace_id: undefined,
  method: undefined,
  route: undefined,
  deployment_id: undefined,
  alias: undefined,
  account_id: undefined,
  key_id: undefined,
  stream: undefined,
  stream_id: undefined,
  worker: undefined,
  attempts: undefined,
  finish: undefined,
  ttft_ms: undefined,
  prompt_tokens: undefined,
  cached_tokens: undefined,
  completion_tokens: undefined,
  status: undefined,
  error: undefined,
  ms: undefined,
});

/** The log line of one request to the gateway. */
export class InferenceLine extends RequestLine<InferenceFields> {
  #settled: Promise<void> = Promise.resolve();

  constructor(requestId: string) {
    super(requestId, namesOfLine());
  }

  /** Notes why the request failed. What follows from the first failure does not replace it. */
  failedWith(code: string): void {
    if (this.fields.error === undefined) this.note({ error: code });
  }

  /** The line is not complete before this resolves, however soon the response is over. */
  waitFor(settled: Promise<void>): void {
    this.#settled = settled;
  }

  get settled(): Promise<void> {
    return this.#settled;
  }
}
