import { type EndFrame, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import type { AnswerWriter } from '../surface.js';
import { messagesErrorBody } from './messages.errors.js';
import type { ThinkingDisplay } from './messages.request.js';

type Finish = Extract<StreamEvent, { k: 'fin' }>;
type BlockKind = 'text' | 'thinking';

/** Text of one kind that goes out together. */
interface Piece {
  readonly kind: BlockKind;
  text: string;
}

interface StopReason {
  readonly stop_reason: string;
  readonly stop_sequence: string | null;
}

export interface MessagesAnswer {
  /** `msg_…` */
  readonly id: string;
  readonly model: string;
  readonly thinking: ThinkingDisplay;
  /** As the client asked; 0 = nothing is said, whatever the engine says. */
  readonly maxTokens: number;
}

const EMPTY_BLOCK: Readonly<Record<BlockKind, string>> = {
  text: '{"type":"text","text":""}',
  thinking: '{"type":"thinking","thinking":"","signature":""}',
};
const frame = (name: string, fields: string): string => `event: ${name}\ndata: {"type":"${name}"${fields}}\n\n`;
/** Clients count `ping` as a sign of life and nothing else. */
const PING = frame('ping', '');
const STOP = frame('message_stop', '');

/** Writes canonical events as the messages contract's events, or as one message. */
export class MessagesWriter implements AnswerWriter {
  readonly keepAlive = PING;
  readonly #blocks: Piece[] = [];
  #prompt = 0;
  #cached = 0;
  #begun = false;
  #index = -1;
  #open: BlockKind | null = null;
  #finish: Finish | null = null;

  constructor(private readonly answer: MessagesAnswer) {}

  frames(events: readonly StreamEvent[]): string {
    const pieces = this.#take(events);
    if (!events.some(({ k }) => k !== 'start')) return '';
    return pieces.reduce((frames, piece) => frames + this.#pieceFrames(piece), this.#messageStart());
  }

  lastFrames({ usage }: EndFrame): string {
    const reason = this.#stopReason(usage);
    const delta = frame('message_delta', `,"delta":${JSON.stringify(reason)},"usage":${this.#totals(usage)}`);
    return this.#messageStart() + this.#blockStop() + delta + STOP;
  }

  errorFrame(error: ServiceError, requestId: string): string {
    return `event: error\ndata: ${messagesErrorBody(error, requestId)}\n\n`;
  }

  collect(events: readonly StreamEvent[]): void {
    for (const piece of this.#take(events)) {
      const last = this.#blocks.at(-1);
      if (last?.kind === piece.kind) last.text += piece.text;
      else this.#blocks.push(piece);
    }
  }

  document({ usage }: EndFrame): string {
    const { stop_reason, stop_sequence } = this.#stopReason(usage);
    const details = stop_reason === 'refusal' ? '{"type":"refusal","category":null,"explanation":null}' : 'null';
    const content = this.#blocks.map(({ kind, text }) =>
      kind === 'text'
        ? { type: 'text', text }
        : { type: 'thinking', thinking: this.answer.thinking === 'shown' ? text : '', signature: '' },
    );
    const stop = `"stop_reason":"${stop_reason}","stop_sequence":${JSON.stringify(stop_sequence)},"stop_details":${details}`;
    return `{${this.#head()},"content":${JSON.stringify(content)},${stop},"usage":${this.#totals(usage)}}`;
  }

  /** Notes what events say about the answer, and returns what they say to the client, kinds in order. */
  #take(events: readonly StreamEvent[]): Piece[] {
    const pieces: Piece[] = [];
    for (const event of events) {
      if (event.k === 'start') this.#noteStart(event);
      else if (event.k === 'fin') this.#finish = event;
      else if (event.k === 'text' || event.k === 'think') this.#addText(pieces, event);
    }
    return pieces;
  }

  #noteStart({ prompt = 0, cached = 0 }: Extract<StreamEvent, { k: 'start' }>): void {
    this.#prompt = prompt;
    this.#cached = cached;
  }

  #addText(pieces: Piece[], { k, x }: Extract<StreamEvent, { k: 'text' | 'think' }>): void {
    const isHidden = this.answer.maxTokens === 0 || (k === 'think' && this.answer.thinking === 'dropped');
    if (x === '' || isHidden) return;
    const kind = k === 'think' ? 'thinking' : 'text';
    const last = pieces.at(-1);
    if (last?.kind === kind) last.text += x;
    else pieces.push({ kind, text: x });
  }

  #pieceFrames({ kind, text }: Piece): string {
    const start = kind === this.#open ? '' : this.#blockStop() + this.#blockStart(kind);
    if (kind === 'text') return start + this.#delta(`{"type":"text_delta","text":${JSON.stringify(text)}}`);
    if (this.answer.thinking === 'omitted') return start;
    return start + this.#delta(`{"type":"thinking_delta","thinking":${JSON.stringify(text)}}`);
  }

  #messageStart(): string {
    if (this.#begun) return '';
    this.#begun = true;
    // Some clients add these counts to the last ones, and some take the prompt's from here alone.
    const usage = usageObject(this.#prompt, this.#cached, 0);
    const message = `${this.#head()},"content":[],"stop_reason":null,"stop_sequence":null,"usage":${usage}`;
    return frame('message_start', `,"message":{${message}}`);
  }

  #blockStart(kind: BlockKind): string {
    this.#index += 1;
    this.#open = kind;
    return frame('content_block_start', `,"index":${this.#index},"content_block":${EMPTY_BLOCK[kind]}`);
  }

  #blockStop(): string {
    if (this.#open === null) return '';
    const signature = this.#open === 'thinking' ? this.#delta('{"type":"signature_delta","signature":""}') : '';
    this.#open = null;
    return signature + frame('content_block_stop', `,"index":${this.#index}`);
  }

  #delta(delta: string): string {
    return frame('content_block_delta', `,"index":${this.#index},"delta":${delta}`);
  }

  #head(): string {
    const { id, model } = this.answer;
    return `"id":${JSON.stringify(id)},"type":"message","role":"assistant","model":${JSON.stringify(model)}`;
  }

  #totals({ prompt, cached, completion }: Usage): string {
    return usageObject(prompt, cached, this.answer.maxTokens === 0 ? 0 : completion);
  }

  /** An answer that just stops is a failure, however cleanly its engine hung up. */
  #stopReason(usage: Usage): StopReason {
    if (this.#finish === null) throw new ServiceError('engine_error', 'The model stopped without saying why.');
    const { maxTokens } = this.answer;
    if (maxTokens === 0) return { stop_reason: 'max_tokens', stop_sequence: null };
    const { r, stop } = this.#finish;
    switch (r) {
      case 'stop':
        return { stop_reason: 'end_turn', stop_sequence: null };
      case 'stop_sequence':
        return { stop_reason: 'stop_sequence', stop_sequence: stop ?? null };
      case 'tool_calls':
        return { stop_reason: 'tool_use', stop_sequence: null };
      case 'length':
        return { stop_reason: endedByContext(usage, maxTokens) ? 'model_context_window_exceeded' : 'max_tokens', stop_sequence: null };
      case 'content_filter':
        return { stop_reason: 'refusal', stop_sequence: null };
    }
  }
}

/** Fewer tokens than were allowed, and no room for another one. */
const endedByContext = ({ completion, estimated }: Usage, maxTokens: number): boolean => estimated !== true && completion < maxTokens;

/** Input tokens are those that no cache had; clients add the three up. */
function usageObject(prompt: number, cached: number, output: number): string {
  const read = Math.min(cached, prompt);
  return `{"input_tokens":${prompt - read},"output_tokens":${output},"cache_creation_input_tokens":0,"cache_read_input_tokens":${read}}`;
}
