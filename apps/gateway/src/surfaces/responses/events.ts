import { type EndFrame, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import { nuid } from '@slipway/platform';
import { PartSequence } from '../shared/answer-parts.js';
import type { LateFrames, ResponseWriter } from '../surface.js';
import { responsesErrorObject } from './errors.js';
import { eventFrame, EventNumbers, OutputItems, type OutputOptions } from './output.js';

type FinishReason = Extract<StreamEvent, { k: 'fin' }>['r'];

export interface ResponsesWriterOptions extends OutputOptions {
  readonly model: string;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Members that repeat the request, as JSON without braces. */
  readonly echo: string;
  /** Drops calls after the first, since not every engine can be limited to one. */
  readonly oneCall: boolean;
  /** Stores the response, JSON, and tells whether it is stored; null = it is not to be stored. */
  readonly store: ((response: string) => Promise<boolean>) | null;
  /** Memory of the conversation that is to be stored, in bytes. */
  readonly requestBytes: number;
  /** Id of the response that this one continues. */
  readonly previous: string | null;
}

/** Why an answer is incomplete, by finish reason. */
const INCOMPLETE: Partial<Readonly<Record<FinishReason, string>>> = { length: 'max_output_tokens', content_filter: 'content_filter' };

/** Longest answer, in UTF-16 code units: its last event repeats all of it. */
const ANSWER_CHARS_MAX = 32 * 1024 * 1024;

/** Memory of a UTF-16 code unit. */
const CHAR_BYTES = 2;

/** Writes canonical events as the responses contract's events, or as one response. */
export class ResponsesWriter implements ResponseWriter {
  readonly #numbers = new EventNumbers();
  readonly #items: OutputItems;
  readonly #parts: PartSequence;
  #begun = false;
  #finish: FinishReason | null = null;
  #chars = 0;
  /** What the response says of itself; false once it could not be stored. */
  #isStored: boolean;

  readonly #options: ResponsesWriterOptions;

  constructor(options: ResponsesWriterOptions) {
    this.#options = options;
    this.#isStored = options.store !== null;
    this.#items = new OutputItems(options, this.#numbers);
    const rules = { hidesThinking: false, oneCall: options.oneCall, newCallId: () => `call_${nuid.next()}` };
    this.#parts = new PartSequence({ keepsText: true, ...rules }, this.#items);
  }

  get requestBytes(): number {
    return this.#options.requestBytes;
  }

  /** The last event repeats the whole answer. */
  get keptBytes(): number {
    return CHAR_BYTES * this.#chars;
  }

  frames(events: readonly StreamEvent[]): string {
    this.collect(events);
    return events.some(({ k }) => k !== 'start') ? this.#begin() + this.#parts.take() : '';
  }

  /** A response that is to be stored is stored before its last event: a client may refer to it at once. */
  lastFrames({ usage }: EndFrame): string | LateFrames {
    const begin = this.#begin();
    const [status, frames] = this.#complete();
    const last = (response: string): string => eventFrame(this.#numbers, `response.${status}`, `,"response":${response}`);
    const response = this.#stored(status, usage);
    return typeof response === 'string' ? begin + frames + last(response) : { now: begin + frames, late: response.then(last) };
  }

  errorFrame(error: ServiceError): string {
    const { type, code, message, param } = responsesErrorObject(error);
    // SDKs read one of the two forms, depending on their version.
    const flat = `,"code":${JSON.stringify(code)},"message":${JSON.stringify(message)},"param":${JSON.stringify(param)}`;
    return eventFrame(this.#numbers, 'error', `${flat},"error":${JSON.stringify({ type, code, message, param })}`);
  }

  /** Some clients accept nothing but comments before the first event of an answer, and comments do not keep every client waiting. */
  keepAlive(): string {
    return this.#begun ? eventFrame(this.#numbers, 'keepalive') : this.#begin();
  }

  collect(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if ('x' in event) this.#chars += event.x.length;
      if (event.k === 'fin') this.#finish = event.r;
      else if ((('c' in event && event.c) || 0) === 0) this.#parts.add(event);
    }
    if (this.#chars > ANSWER_CHARS_MAX) throw new ServiceError('engine_error', 'The answer is longer than this contract can carry.');
  }

  document({ usage }: EndFrame): string | Promise<string> {
    const [status] = this.#complete();
    return this.#stored(status, usage);
  }

  /** The complete response, once it is stored where it is to be. */
  #stored(status: 'completed' | 'incomplete', usage: Usage): string | Promise<string> {
    const { store } = this.#options;
    const response = this.#response(status, usage);
    if (!store) return response;
    return store(response).then((isStored) => {
      this.#isStored = isStored;
      return isStored ? response : this.#response(status, usage);
    });
  }

  #begin(): string {
    if (this.#begun) return '';
    this.#begun = true;
    const response = `,"response":${this.#response('in_progress', null)}`;
    return eventFrame(this.#numbers, 'response.created', response) + eventFrame(this.#numbers, 'response.in_progress', response);
  }

  /** @throws ServiceError when the engine ended without a finish reason, or within a call. */
  #complete(): [status: 'completed' | 'incomplete', frames: string] {
    if (this.#finish === null) throw new ServiceError('engine_error', 'The engine ended without a finish reason.');
    const whole = this.#parts.take();
    this.#items.isCut = this.#finish in INCOMPLETE;
    const rest = this.#parts.takeLast();
    const empty = this.#items.hasAnswer ? '' : this.#items.emptyMessage(this.#parts.begun);
    return [this.#items.isCut ? 'incomplete' : 'completed', whole + rest + empty];
  }

  #response(status: 'in_progress' | 'completed' | 'incomplete', usage: Usage | null): string {
    const { streamId, model, created, echo, previous } = this.#options;
    const reason = status === 'incomplete' && this.#finish ? INCOMPLETE[this.#finish] : undefined;
    const head = `"id":"resp_${streamId}","object":"response","created_at":${created},"model":${JSON.stringify(model)},"status":"${status}"`;
    const ends = `"completed_at":${status === 'completed' ? Math.floor(Date.now() / 1000) : 'null'},"error":null,"incomplete_details":${reason === undefined ? 'null' : `{"reason":"${reason}"}`}`;
    const output = status === 'in_progress' ? '' : this.#items.complete.join(',');
    const kept = `"store":${this.#isStored},"background":false,"previous_response_id":${JSON.stringify(previous)}`;
    return `{${head},${ends},"output":[${output}],"usage":${usage ? usageJson(usage) : 'null'},${kept},${echo}}`;
  }
}

const usageJson = ({ prompt, cached, completion, reasoning = 0 }: Usage): string =>
  JSON.stringify({
    input_tokens: prompt,
    input_tokens_details: { cached_tokens: cached },
    output_tokens: completion,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: prompt + completion,
  });
