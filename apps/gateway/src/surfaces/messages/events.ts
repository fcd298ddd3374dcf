import { type EndFrame, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import type { ResponseWriter } from '../surface.js';
import { AnswerParts, PartSequence } from '../shared/answer-parts.js';
import { blockFrames, contentOf, frame, partRules, type Visibility } from './blocks.js';
import { messagesErrorBody } from './errors.js';

type Finish = Extract<StreamEvent, { k: 'fin' }>;

export interface MessagesWriterOptions extends Visibility {
  /** `msg_…` */
  readonly id: string;
  readonly model: string;
}

/** Keep-alive event; clients ignore it. */
const PING = frame('ping', '');
const STOP = frame('message_stop', '');

/** Writes canonical events as the messages contract's events, or as one message. */
export class MessagesWriter implements ResponseWriter {
  readonly #frames: PartSequence;
  readonly #collected: AnswerParts;
  #prompt: Usage = { prompt: 0, cached: 0, completion: 0 };
  #begun = false;
  #finish: Finish | null = null;

  readonly #options: MessagesWriterOptions;

  constructor(options: MessagesWriterOptions) {
    this.#options = options;
    const rules = partRules(options);
    this.#frames = new PartSequence({ keepsText: false, ...rules }, blockFrames(options));
    this.#collected = new AnswerParts(rules);
  }

  frames(events: readonly StreamEvent[]): string {
    for (const event of events) {
      this.#note(event);
      if (this.#options.maxTokens > 0) this.#frames.add(event);
    }
    return events.some(({ k }) => k !== 'start') ? this.#messageStart() + this.#frames.take() : '';
  }

  lastFrames({ usage }: EndFrame): string {
    const reason = this.#stopReason(usage, this.#frames.hasCalls);
    if (this.#frames.brokenCall() && !this.#isCut) throw brokenCall();
    const delta = frame('message_delta', `,"delta":${JSON.stringify(reason)},"usage":${this.#totals(usage)}`);
    return this.#messageStart() + this.#frames.takeLast() + delta + STOP;
  }

  keepAlive(): string {
    return PING;
  }

  errorFrame(error: ServiceError, requestId: string): string {
    return `event: error\ndata: ${messagesErrorBody(error, requestId)}\n\n`;
  }

  collect(events: readonly StreamEvent[]): void {
    for (const event of events) {
      this.#note(event);
      if (this.#options.maxTokens > 0) this.#collected.add(event);
    }
  }

  document({ usage }: EndFrame): string {
    const { stop_reason, stop_sequence } = this.#stopReason(usage, this.#collected.hasCalls);
    const content = contentOf(this.#collected.list, this.#options);
    // A call that was cut within its arguments is left out without an error.
    if (content.broken > 0 && !this.#isCut) throw brokenCall();
    const details = stop_reason === 'refusal' ? '{"type":"refusal","category":null,"explanation":null}' : 'null';
    const stop = `"stop_reason":"${stop_reason}","stop_sequence":${JSON.stringify(stop_sequence)},"stop_details":${details}`;
    return `{${this.#head()},"content":${JSON.stringify(content.blocks)},${stop},"usage":${this.#totals(usage)}}`;
  }

  /** True when a token limit ended the answer. */
  get #isCut(): boolean {
    return this.#finish?.r === 'length';
  }

  #note(event: StreamEvent): void {
    if (event.k === 'start') this.#prompt = { prompt: event.prompt ?? 0, cached: event.cached ?? 0, completion: 0 };
    else if (event.k === 'fin') this.#finish = event;
  }

  #messageStart(): string {
    if (this.#begun) return '';
    this.#begun = true;
    // Some clients add these counts to the final ones, and some read the prompt's only here.
    const usage = usageObject(this.#prompt);
    const message = `${this.#head()},"content":[],"stop_reason":null,"stop_sequence":null,"usage":${usage}`;
    return frame('message_start', `,"message":{${message}}`);
  }

  #head(): string {
    const { id, model } = this.#options;
    return `"id":${JSON.stringify(id)},"type":"message","role":"assistant","model":${JSON.stringify(model)}`;
  }

  #totals(usage: Usage): string {
    const { prompt, cached } = usage;
    return usageObject(this.#options.maxTokens === 0 ? { prompt, cached, completion: 0 } : usage);
  }

  #stopReason(usage: Usage, hasCalls: boolean): StopReason {
    return stopReasonOf({ finish: this.#finish, usage, maxTokens: this.#options.maxTokens, hasCalls });
  }
}

const brokenCall = (): ServiceError =>
  new ServiceError('engine_error', 'The model called a tool with arguments that are not a JSON object.');

/** `input_tokens` excludes cached tokens; clients add the three counts. */
function usageObject({ prompt, cached, completion, reasoning }: Usage): string {
  const read = Math.min(cached, prompt);
  const details = reasoning === undefined ? '' : `,"output_tokens_details":{"thinking_tokens":${reasoning}}`;
  return `{"input_tokens":${prompt - read},"output_tokens":${completion},"cache_creation_input_tokens":0,"cache_read_input_tokens":${read}${details}}`;
}

/** The stop reason in the contract's form. */
interface StopReason {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
}

interface AnswerEnd {
  readonly finish: Finish | null;
  readonly usage: Usage;
  /** As the client sent it. */
  readonly maxTokens: number;
  /** The answer has a visible call. */
  readonly hasCalls: boolean;
}

const because = (reason: string): StopReason => ({ stop_reason: reason, stop_sequence: null });

/** @throws ServiceError when the engine ended without a finish reason. */
function stopReasonOf({ finish, usage, maxTokens, hasCalls }: AnswerEnd): StopReason {
  if (finish === null) throw new ServiceError('engine_error', 'The engine ended without a finish reason.');
  if (maxTokens === 0) return because('max_tokens');
  switch (finish.r) {
    case 'stop':
    case 'tool_calls':
      return because(hasCalls ? 'tool_use' : 'end_turn');
    case 'stop_sequence':
      return { stop_reason: 'stop_sequence', stop_sequence: finish.stop ?? null };
    case 'length':
      return because(endedByContext(usage, maxTokens) ? 'model_context_window_exceeded' : 'max_tokens');
    case 'content_filter':
      return because('refusal');
  }
}

/** True when the context ended the answer before its own limit. */
const endedByContext = ({ completion, estimated }: Usage, maxTokens: number): boolean => estimated !== true && completion < maxTokens;
