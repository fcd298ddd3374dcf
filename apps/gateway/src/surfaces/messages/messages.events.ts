import { type EndFrame, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import type { AnswerWriter } from '../surface.js';
import { BlockFrames } from './messages.block-frames.js';
import { AnswerBlocks, type Visibility } from './messages.blocks.js';
import { contentOf } from './messages.document.js';
import { messagesErrorBody } from './messages.errors.js';
import { frame } from './messages.frames.js';
import { type StopReason, stopReasonOf } from './messages.stop-reason.js';
import { usageObject } from './messages.usage.js';

type Finish = Extract<StreamEvent, { k: 'fin' }>;

export interface MessagesAnswer extends Visibility {
  /** `msg_…` */
  readonly id: string;
  readonly model: string;
}

/** Clients count `ping` as a sign of life and nothing else. */
const PING = frame('ping', '');
const STOP = frame('message_stop', '');

/** Writes canonical events as the messages contract's events, or as one message. */
export class MessagesWriter implements AnswerWriter {
  readonly keepAlive = PING;
  readonly #frames: BlockFrames;
  readonly #collected: AnswerBlocks;
  #prompt: Usage = { prompt: 0, cached: 0, completion: 0 };
  #begun = false;
  #finish: Finish | null = null;

  constructor(private readonly answer: MessagesAnswer) {
    this.#frames = new BlockFrames(answer);
    this.#collected = new AnswerBlocks(answer);
  }

  frames(events: readonly StreamEvent[]): string {
    for (const event of events) {
      this.#note(event);
      this.#frames.add(event);
    }
    return events.some(({ k }) => k !== 'start') ? this.#messageStart() + this.#frames.take() : '';
  }

  lastFrames({ usage }: EndFrame): string {
    const reason = this.#stopReason(usage, this.#frames.hasCalls);
    if (this.#frames.brokenCall() && !this.#isCut) throw brokenCall();
    const delta = frame('message_delta', `,"delta":${JSON.stringify(reason)},"usage":${this.#totals(usage)}`);
    return this.#messageStart() + this.#frames.takeLast() + delta + STOP;
  }

  errorFrame(error: ServiceError, requestId: string): string {
    return `event: error\ndata: ${messagesErrorBody(error, requestId)}\n\n`;
  }

  collect(events: readonly StreamEvent[]): void {
    for (const event of events) {
      this.#note(event);
      this.#collected.add(event);
    }
  }

  document({ usage }: EndFrame): string {
    const { stop_reason, stop_sequence } = this.#stopReason(usage, this.#collected.hasCalls);
    const content = contentOf(this.#collected.list, this.answer);
    // What was cut within its arguments is no call that a client could make.
    if (content.broken > 0 && !this.#isCut) throw brokenCall();
    const details = stop_reason === 'refusal' ? '{"type":"refusal","category":null,"explanation":null}' : 'null';
    const stop = `"stop_reason":"${stop_reason}","stop_sequence":${JSON.stringify(stop_sequence)},"stop_details":${details}`;
    return `{${this.#head()},"content":${JSON.stringify(content.blocks)},${stop},"usage":${this.#totals(usage)}}`;
  }

  /** The answer ended within a limit, not where the model wanted. */
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
    // Some clients add these counts to the last ones, and some take the prompt's from here alone.
    const usage = usageObject(this.#prompt);
    const message = `${this.#head()},"content":[],"stop_reason":null,"stop_sequence":null,"usage":${usage}`;
    return frame('message_start', `,"message":{${message}}`);
  }

  #head(): string {
    const { id, model } = this.answer;
    return `"id":${JSON.stringify(id)},"type":"message","role":"assistant","model":${JSON.stringify(model)}`;
  }

  #totals(usage: Usage): string {
    const { prompt, cached } = usage;
    return usageObject(this.answer.maxTokens === 0 ? { prompt, cached, completion: 0 } : usage);
  }

  #stopReason(usage: Usage, hasCalls: boolean): StopReason {
    return stopReasonOf({ finish: this.#finish, usage, maxTokens: this.answer.maxTokens, hasCalls });
  }
}

const brokenCall = (): ServiceError => new ServiceError('engine_error', 'The model called a tool with arguments that are no JSON object.');
