import { type EndFrame, type FinishReason, ServiceError, type StreamEvent, type Usage } from '@slipway/contracts';
import type { ResponseWriter } from '../surface.js';
import { ChoiceChunks, ChoiceDocument, type TextTarget, usageObject } from './choices.js';
import { chatErrorObject } from './errors.js';
import type { UsageChunks } from './request.js';

type PieceEvent = Extract<StreamEvent, { k: 'text' | 'think' | 'args' }>;

const DONE = 'data: [DONE]\n\n';
/** A comment: some clients fail on events without choices. */
const COMMENT = ': waiting\n\n';

export interface ChatWriterOptions {
  /** `chatcmpl-…`, the same in every chunk. */
  readonly id: string;
  readonly model: string;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly usage: UsageChunks;
  /** Requested choices. */
  readonly choices: number;
  /** Log probabilities were requested. */
  readonly logprobs: boolean;
  /** Drops calls after the first of a choice, since not every engine can be limited to one. */
  readonly oneCall: boolean;
}

const isPiece = (event: StreamEvent): event is PieceEvent => event.k === 'text' || event.k === 'think' || event.k === 'args';
/** True when an event continues the text of the one before. */
const goesOn = (before: PieceEvent, event: StreamEvent): event is PieceEvent =>
  event.k === before.k && event.c === before.c && (event.k !== 'args' || event.i === (before as { i?: number }).i);

/** Writes canonical events as chat chunks or as one completion. Events of choices that were not requested are dropped. */
export class ChatWriter implements ResponseWriter {
  /** The part of each chunk before the choice, and the part after it without counts. */
  readonly #head: string;
  readonly #tail: string;
  readonly #chunks: (ChoiceChunks | undefined)[] = [];
  readonly #documents: (ChoiceDocument | undefined)[] = [];
  readonly #finish: (FinishReason | undefined)[] = [];
  /** Chunks contain counts or probabilities besides text. */
  readonly #isNoting: boolean;
  /** Counts so far; the prompt's are unknown until the engine reports them. */
  readonly #counts: { prompt?: number; cached: number; completion: number } = { cached: 0, completion: 0 };

  readonly #options: ChatWriterOptions;

  constructor(options: ChatWriterOptions) {
    this.#options = options;
    const { id, created, model, usage } = options;
    const base = `{"id":${JSON.stringify(id)},"object":"chat.completion.chunk","created":${created},"model":${JSON.stringify(model)}`;
    this.#head = `data: ${base},"choices":[`;
    this.#tail = usage === 'none' ? ']}\n\n' : '],"usage":null}\n\n';
    this.#isNoting = usage === 'each' || options.logprobs;
  }

  frames(events: readonly StreamEvent[]): string {
    let frames = '';
    let run: PieceEvent | null = null;
    let text = '';
    for (const event of events) {
      if (run !== null && goesOn(run, event)) {
        text += event.x;
      } else {
        if (run !== null) frames += this.#piece(run, text);
        run = isPiece(event) ? event : null;
        if (run === null) frames += this.#mark(event);
        else text = run.x;
      }
      if (this.#isNoting) this.#note(event);
    }
    return run === null ? frames : frames + this.#piece(run, text);
  }

  lastFrames({ usage }: EndFrame): string {
    const finish = this.#checkComplete();
    const isCounting = this.#options.usage !== 'none';
    const tail = this.#options.usage === 'each' ? countedTail(usage) : this.#tail;
    const last = finish.map((reason, index) => this.#chunksOf(index)?.finish(reason, tail) ?? '').join('');
    return isCounting ? `${last}${this.#head}${countedTail(usage)}${DONE}` : last + DONE;
  }

  keepAlive(): string {
    return COMMENT;
  }

  errorFrame(error: ServiceError): string {
    return `data: ${JSON.stringify({ error: chatErrorObject(error) })}\n\n`;
  }

  collect(events: readonly StreamEvent[]): void {
    for (const event of events) {
      if (event.k === 'fin') this.#finish[event.c ?? 0] = event.r;
      else if (event.k !== 'start' && event.k !== 'vec' && !this.#isLeftOut(event)) this.#documentOf(event.c ?? 0)?.take(event);
    }
  }

  document({ usage }: EndFrame): string {
    const finish = this.#checkComplete();
    const { id, created, model } = this.#options;
    const choices = finish.map((reason, index) => this.#documentOf(index)?.choice(reason));
    return JSON.stringify({ id, object: 'chat.completion', created, model, choices, usage: usageObject(usage) });
  }

  /** @throws ServiceError when the engine ended without a finish reason. */
  #checkComplete(): FinishReason[] {
    return Array.from({ length: this.#options.choices }, (_, index) => {
      const reason = this.#finish[index];
      if (reason === undefined) throw new ServiceError('engine_error', 'The engine ended without a finish reason.');
      return reason;
    });
  }

  #isLeftOut(event: StreamEvent): boolean {
    return this.#options.oneCall && (event.k === 'call' || event.k === 'args') && event.i > 0;
  }

  #piece(event: PieceEvent, text: string): string {
    if (this.#isLeftOut(event)) return '';
    return this.#chunksOf(event.c ?? 0)?.text(targetOf(event), text, this.#tailNow()) ?? '';
  }

  #mark(event: StreamEvent): string {
    if (this.#isLeftOut(event)) return '';
    if (event.k === 'call') return this.#chunksOf(event.c ?? 0)?.call(event, this.#tailNow()) ?? '';
    if (event.k !== 'fin') return '';
    // Clients read a finish reason as success, so it is sent only with the complete answer.
    this.#finish[event.c ?? 0] = event.r;
    return this.#chunksOf(event.c ?? 0)?.flush(this.#tailNow()) ?? '';
  }

  /** Records the counts and probabilities of an event. */
  #note(event: StreamEvent): void {
    if (event.k === 'text' && event.lp && this.#options.logprobs) this.#chunksOf(event.c ?? 0)?.keepProbabilities(event.lp);
    if (this.#options.usage !== 'each') return;
    if (event.k === 'start') {
      if (event.prompt !== undefined) this.#counts.prompt = event.prompt;
      this.#counts.cached = event.cached ?? 0;
    } else if (isPiece(event) || event.k === 'call') this.#counts.completion += event.n;
  }

  #tailNow(): string {
    if (!this.#isNoting) return this.#tail;
    const { prompt, cached, completion } = this.#counts;
    return prompt === undefined ? this.#tail : countedTail({ prompt, cached, completion });
  }

  #chunksOf(index: number): ChoiceChunks | undefined {
    const known = this.#chunks[index];
    if (known || index >= this.#options.choices) return known;
    return (this.#chunks[index] = new ChoiceChunks(index, this.#head));
  }

  #documentOf(index: number): ChoiceDocument | undefined {
    const known = this.#documents[index];
    if (known || index >= this.#options.choices) return known;
    return (this.#documents[index] = new ChoiceDocument(index, this.#options.logprobs));
  }
}

function targetOf(event: PieceEvent): TextTarget {
  if (event.k === 'args') return event.i;
  return event.k === 'text' ? 'content' : 'reasoning_content';
}

const countedTail = (usage: Usage): string => `],"usage":${JSON.stringify(usageObject(usage))}}\n\n`;
