import { type EndFrame, type FinishReason, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import type { AnswerWriter } from '../surface.js';
import { chatErrorObject } from './chat.errors.js';

type TextEvent = Extract<StreamEvent, { k: 'text' | 'think' }>;

const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  content_filter: 'content_filter',
};
const DONE = 'data: [DONE]\n\n';
/** A comment: events without choices would trip some clients. */
const COMMENT = ': waiting\n\n';
const FIELD = { text: 'content', think: 'reasoning_content' } as const;

export interface ChatAnswer {
  /** `chatcmpl-…`, the same in every chunk. */
  readonly id: string;
  readonly model: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly includeUsage: boolean;
}

/** Writes canonical events as the chat contract's chunks, or as one completion. */
export class ChatWriter implements AnswerWriter {
  readonly keepAlive = COMMENT;
  /** Everything before and after a choice, which is the same in all chunks. */
  readonly #head: string;
  readonly #tail: string;
  #opened = false;
  #finish: FinishReason | null = null;
  #content = '';
  #reasoning = '';

  constructor(private readonly answer: ChatAnswer) {
    const { id, created, model, includeUsage } = answer;
    const base = `{"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}`;
    this.#head = `data: ${base},"choices":[`;
    this.#tail = includeUsage ? '],"usage":null}\n\n' : ']}\n\n';
  }

  frames(events: readonly StreamEvent[]): string {
    let frames = '';
    let text = '';
    let kind: TextEvent['k'] = 'text';
    for (const event of events) {
      if (event.k !== 'text' && event.k !== 'think') {
        frames += this.#textChunk(kind, text);
        text = '';
        // Clients take a finish reason for success, so it is said when the answer has proved complete.
        if (event.k === 'fin') this.#finish = event.r;
        continue;
      }
      if (event.k !== kind) {
        frames += this.#textChunk(kind, text);
        text = '';
        kind = event.k;
      }
      text += event.x;
    }
    return frames + this.#textChunk(kind, text);
  }

  lastFrames({ usage }: EndFrame): string {
    const finish = this.#finishChunk(this.#checkComplete());
    if (!this.answer.includeUsage) return finish + DONE;
    return `${finish}${this.#head}],"usage":${JSON.stringify(usageObject(usage))}}\n\n${DONE}`;
  }

  errorFrame(error: ServiceError): string {
    return `data: ${JSON.stringify({ error: chatErrorObject(error) })}\n\n`;
  }

  collect(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (event.k === 'text') this.#content += event.x;
      else if (event.k === 'think') this.#reasoning += event.x;
      else if (event.k === 'fin') this.#finish = event.r;
    }
  }

  document({ usage }: EndFrame): string {
    const finish = this.#checkComplete();
    const { id, created, model } = this.answer;
    const reasoning = this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning };
    const message = { role: 'assistant', content: this.#content, refusal: null, ...reasoning };
    const choices = [{ index: 0, message, logprobs: null, finish_reason: FINISH[finish] }];
    return JSON.stringify({ id, object: 'chat.completion', created, model, choices, usage: usageObject(usage) });
  }

  /** An answer that just stops is a failure, however cleanly its engine hung up. */
  #checkComplete(): FinishReason {
    if (this.#finish === null) throw new ServiceError('engine_error', 'The model stopped without saying why.');
    return this.#finish;
  }

  #textChunk(kind: TextEvent['k'], text: string): string {
    if (text === '') return '';
    return `${this.#roleChunk()}${this.#head}{"index":0,"delta":{"${FIELD[kind]}":${JSON.stringify(text)}},"logprobs":null,"finish_reason":null}${this.#tail}`;
  }

  #roleChunk(): string {
    if (this.#opened) return '';
    this.#opened = true;
    return `${this.#head}{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null}${this.#tail}`;
  }

  #finishChunk(reason: FinishReason): string {
    return `${this.#roleChunk()}${this.#head}{"index":0,"delta":{},"logprobs":null,"finish_reason":"${FINISH[reason]}"}${this.#tail}`;
  }
}

function usageObject({ prompt, cached, completion, reasoning }: Usage): object {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning ?? 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}
