import { ServiceError, type TokenLogprob } from '@slipway/contracts';
import { type AnswerPart, argumentsIn, type CallPart, type PartFrames, type SpokenPart } from '../shared/answer-parts.js';
import { jsonText } from '../shared/fields.js';
import { probabilityOf } from '../shared/probability.js';
import { contentOfThought } from './conversation.js';
import type { ToolFace } from './tools.js';

/** Numbers the events of a stream. */
export class EventNumbers {
  #next = 0;

  get next(): number {
    return this.#next++;
  }
}

export interface OutputOptions {
  /** Id of the stream, which is part of the ids of its items. */
  readonly streamId: string;
  readonly faces: ReadonlyMap<string, ToolFace>;
  /** Log probabilities were requested. */
  readonly logprobs: boolean;
  readonly encrypts: boolean;
}

/** One event. @param members further JSON members, each after a comma. */
export const eventFrame = (numbers: EventNumbers, name: string, members = ''): string =>
  `event: ${name}\ndata: {"type":"${name}","sequence_number":${numbers.next}${members}}\n\n`;

/** The item that is being written. */
interface OpenItem {
  readonly id: string;
  /** `,"item_id":…,"output_index":…` */
  readonly place: string;
  /** Written log probabilities. */
  readonly probabilities: TokenLogprob[];
  readonly face: ToolFace | undefined;
  readonly decoder: InputDecoder | undefined;
}

const textContent = (json: string, logprobs: string): string =>
  `{"type":"output_text","text":${json},"annotations":[],"logprobs":${logprobs}}`;

/** Writes the parts of an answer as output items, one after the other, and keeps the complete ones. */
export class OutputItems implements PartFrames {
  /** Complete items as JSON. */
  readonly complete: string[] = [];
  /** A message or a call is among them. */
  hasAnswer = false;
  /** A limit ended the answer: the last item may be incomplete. */
  isCut = false;
  #open: OpenItem | undefined;

  constructor(
    private readonly options: OutputOptions,
    private readonly numbers: EventNumbers,
  ) {}

  start(part: AnswerPart, at: number): string {
    const face = part.kind === 'call' ? this.#faceOf(part) : undefined;
    const id = `${prefixOf(part, face)}_${this.options.streamId}_${at}`;
    const decoder = face?.kind === 'custom' ? new InputDecoder() : undefined;
    const open = { id, place: `,"item_id":"${id}","output_index":${at}`, probabilities: [], face, decoder };
    this.#open = open;
    const added = this.#event('response.output_item.added', `,"output_index":${at},"item":${this.#emptyItem(part, open)}`);
    if (part.kind === 'text') return added + this.#content('response.content_part.added', `,"part":${textContent('""', '[]')}`);
    return part.kind === 'think' ? added + this.#summary('response.reasoning_summary_part.added', `,"part":${summaryPart('""')}`) : added;
  }

  piece(part: AnswerPart, text: string): string {
    if (part.kind === 'text')
      return this.#content('response.output_text.delta', `,"delta":${jsonText(text)},"logprobs":${this.#probabilities(part)}`);
    if (part.kind === 'think') return this.#summary('response.reasoning_summary_text.delta', `,"delta":${jsonText(text)}`);
    const { decoder } = this.#item;
    if (!decoder) return this.#ofItem('response.function_call_arguments.delta', `,"delta":${jsonText(text)}`);
    const input = decoder.take(text);
    return input === '' ? '' : this.#ofItem('response.custom_tool_call_input.delta', `,"delta":${jsonText(input)}`);
  }

  /** @throws ServiceError for a complete call whose arguments cannot be used. */
  end(part: AnswerPart, at: number): string {
    if (part.kind === 'call') return this.#endCall(part, at);
    return part.kind === 'text' ? this.#endText(part, at) : this.#endThought(part, at);
  }

  /** The frames of a message without text, where an answer would have no item else. */
  emptyMessage(at: number): string {
    const part: SpokenPart = { kind: 'text', text: '', written: '', probabilities: [] };
    return this.start(part, at) + this.end(part, at);
  }

  #faceOf({ name }: CallPart): ToolFace {
    return this.options.faces.get(name) ?? { kind: 'function', name, namespace: undefined };
  }

  get #item(): OpenItem {
    if (!this.#open) throw new Error('No item is open.');
    return this.#open;
  }

  #event(name: string, members: string): string {
    return eventFrame(this.numbers, name, members);
  }

  #ofItem(name: string, members: string): string {
    return this.#event(name, this.#item.place + members);
  }

  #content(name: string, members: string): string {
    return this.#ofItem(name, `,"content_index":0${members}`);
  }

  #summary(name: string, members: string): string {
    return this.#ofItem(name, `,"summary_index":0${members}`);
  }

  /** The log probabilities of a piece. */
  #probabilities(part: SpokenPart): string {
    if (!this.options.logprobs) return '[]';
    const tokens = part.probabilities;
    part.probabilities = [];
    for (const token of tokens) this.#item.probabilities.push(token);
    return JSON.stringify(tokens.map(probabilityOf));
  }

  #emptyItem(part: AnswerPart, { id, face }: OpenItem): string {
    if (part.kind === 'call') return callItem(part, { id, face, status: 'in_progress', text: '""' });
    const content = part.kind === 'text' ? '"type":"message","role":"assistant","content":[]' : '"type":"reasoning","summary":[]';
    return `{"id":"${id}","status":"in_progress",${content}}`;
  }

  #endThought(part: SpokenPart, at: number): string {
    const text = jsonText(part.written);
    const encrypted = this.options.encrypts ? `,"encrypted_content":"${contentOfThought(part.written)}"` : '';
    const item = `{"id":"${this.#item.id}","status":"${this.#status}","type":"reasoning","summary":[${summaryPart(text)}]${encrypted}}`;
    return (
      this.#summary('response.reasoning_summary_text.done', `,"text":${text}`) +
      this.#summary('response.reasoning_summary_part.done', `,"part":${summaryPart(text)}`) +
      this.#done(item, at)
    );
  }

  #endText(part: SpokenPart, at: number): string {
    // Tokens without a text of their own.
    const rest = part.probabilities.length > 0 ? this.piece(part, '') : '';
    const text = jsonText(part.written);
    const logprobs = JSON.stringify(this.#item.probabilities.map(probabilityOf));
    const content = textContent(text, logprobs);
    this.hasAnswer = true;
    const item = `{"id":"${this.#item.id}","status":"${this.#status}","type":"message","role":"assistant","content":[${content}]}`;
    return (
      rest +
      this.#content('response.output_text.done', `,"text":${text},"logprobs":${logprobs}`) +
      this.#content('response.content_part.done', `,"part":${content}`) +
      this.#done(item, at)
    );
  }

  /** Clients run a call as soon as it is done, so one that a limit cut is never done. */
  #endCall(part: CallPart, at: number): string {
    const { id, face, decoder } = this.#item;
    const text = decoder ? customInput(part) : wholeArguments(part);
    if (text === null && this.isCut) return '';
    if (text === null) throw new ServiceError('engine_error', 'The model called a tool with arguments that the tool does not take.');
    this.hasAnswer = true;
    const done = decoder
      ? this.#ofItem('response.custom_tool_call_input.done', `,"input":${text}`)
      : this.#endArguments(part, jsonText(face?.name ?? part.name), text);
    return done + this.#done(callItem(part, { id, face, status: 'completed', text }), at);
  }

  #endArguments(part: CallPart, name: string, text: string): string {
    const nothing = part.written === '' ? this.piece(part, '{}') : '';
    return nothing + this.#ofItem('response.function_call_arguments.done', `,"name":${name},"arguments":${text}`);
  }

  #done(item: string, at: number): string {
    this.complete.push(item);
    return this.#event('response.output_item.done', `,"output_index":${at},"item":${item}`);
  }

  get #status(): string {
    return this.isCut ? 'incomplete' : 'completed';
  }
}

const summaryPart = (json: string): string => `{"type":"summary_text","text":${json}}`;

function prefixOf({ kind }: AnswerPart, face: ToolFace | undefined): string {
  if (kind === 'text') return 'msg';
  if (kind === 'think') return 'rs';
  return face?.kind === 'custom' ? 'ctc' : 'fc';
}

/** @param text JSON of the arguments or the input. */
function callItem(part: CallPart, { id, face, status, text }: Pick<OpenItem, 'id' | 'face'> & { status: string; text: string }): string {
  const [type, member] = face?.kind === 'custom' ? ['custom_tool_call', 'input'] : ['function_call', 'arguments'];
  const namespace = face?.namespace === undefined ? '' : `,"namespace":${jsonText(face.namespace)}`;
  const name = `"call_id":${jsonText(part.id)},"name":${jsonText(face?.name ?? part.name)}${namespace}`;
  return `{"id":"${id}","status":"${status}","type":"${type}",${name},"${member}":${text}}`;
}

/** JSON of a call's arguments as a text; null where they are no whole object. */
const wholeArguments = (part: CallPart): string | null => (argumentsIn(part) === null ? null : jsonText(part.written || '{}'));

/** JSON of the text for a custom tool; null where the arguments are anything but this text. */
function customInput(part: CallPart): string | null {
  const { input, ...others } = argumentsIn(part) ?? {};
  return typeof input === 'string' && Object.keys(others).length === 0 ? jsonText(input) : null;
}

const INPUT_START = /^\s*\{\s*"input"\s*:\s*"/;
const ESCAPE_CHARS = 2;
const UNICODE_ESCAPE_CHARS = 6;

/** Decodes the string `input` of a JSON object while it arrives. What does not fit shows when the object is complete. */
class InputDecoder {
  /** What is not decoded yet. */
  #rest = '';
  #state: 'before' | 'within' | 'after' = 'before';

  /** @returns the part of the string that a piece completes. */
  take(piece: string): string {
    if (this.#state === 'after') return '';
    this.#rest += piece;
    if (this.#state === 'before') {
      const start = INPUT_START.exec(this.#rest);
      if (!start) return '';
      this.#rest = this.#rest.slice(start[0].length);
      this.#state = 'within';
    }
    const end = this.#wholeLength();
    const text = this.#rest.slice(0, end);
    this.#rest = this.#rest.slice(end);
    if (this.#rest.startsWith('"')) this.#state = 'after';
    return text === '' ? '' : decoded(text);
  }

  /** Length of the text up to the end of the string, or to an escape or a surrogate pair that is not complete. */
  #wholeLength(): number {
    const text = this.#rest;
    for (let i = 0; i < text.length;) {
      if (text[i] === '"') return i;
      const length = unitLength(text, i);
      if (i + length > text.length) return i;
      i += length;
    }
    return text.length;
  }
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Length in JSON of the character that begins at a position. */
function unitLength(text: string, at: number): number {
  if (text[at] !== '\\') return isHigh(text.charCodeAt(at)) ? 2 : 1;
  if (text[at + 1] !== 'u') return ESCAPE_CHARS;
  const isPair = isHigh(Number.parseInt(text.slice(at + ESCAPE_CHARS, at + UNICODE_ESCAPE_CHARS), 16));
  // The next unit is a low surrogate, escaped as well.
  return isPair ? 2 * UNICODE_ESCAPE_CHARS : UNICODE_ESCAPE_CHARS;
}

function decoded(text: string): string {
  try {
    return JSON.parse(`"${text}"`) as string;
  } catch {
    throw new ServiceError('engine_error', 'The model called a tool with arguments that are not JSON.');
  }
}
