import type { StreamEvent } from '@slipway/contracts';
import { nuid } from '@slipway/platform';
import { endsInHalf, jsonText, wholeCharacters } from '../shared/fields.js';

/** How reasoning is shown: whole, as empty blocks, or not at all. */
export type ThinkingDisplay = 'shown' | 'omitted' | 'dropped';

type CallEvent = Extract<StreamEvent, { k: 'call' }>;
type ArgsEvent = Extract<StreamEvent, { k: 'args' }>;
type SpokenEvent = Extract<StreamEvent, { k: 'text' | 'think' }>;

/** Text or reasoning. `text` = the part that is not written yet. */
interface Spoken<K extends 'text' | 'thinking'> {
  readonly kind: K;
  text: string;
}
type SpokenBlock = Spoken<'text'> | Spoken<'thinking'>;

/** A call. `text` = JSON of its arguments so far, written up to `written`. */
export interface CallBlock {
  readonly kind: 'tool_use';
  readonly call: number;
  readonly id: string;
  readonly name: string;
  text: string;
  written: number;
}

export type ContentBlock = SpokenBlock | CallBlock;

export interface Visibility {
  readonly thinking: ThinkingDisplay;
  /** As the client sent it; 0 = the answer stays empty. */
  readonly maxTokens: number;
  /** Only the first call is shown. */
  readonly oneCall: boolean;
}

/** The visible content blocks of one answer, in order of their start. */
export class ContentBlocks {
  readonly list: ContentBlock[] = [];
  readonly #ids = new Set<string>();

  readonly #visibility: Visibility;

  constructor(visibility: Visibility) {
    this.#visibility = visibility;
  }

  /** True once the answer has a call, written or not. */
  get hasCalls(): boolean {
    return this.#ids.size > 0;
  }

  add(event: StreamEvent): void {
    if (this.#visibility.maxTokens === 0) return;
    if (event.k === 'text' || event.k === 'think') this.#say(event);
    else if (event.k === 'call') this.#call(event);
    else if (event.k === 'args') this.#args(event);
  }

  #say({ k, x }: SpokenEvent): void {
    if (x === '' || (k === 'think' && this.#visibility.thinking === 'dropped')) return;
    const kind = k === 'think' ? 'thinking' : 'text';
    const last = this.list.at(-1);
    if (last?.kind === kind) last.text += x;
    else this.list.push({ kind, text: x });
  }

  #call({ i, id, name }: CallEvent): void {
    if (this.#visibility.oneCall && this.hasCalls) return;
    // Clients match results to calls by id, so ids must be unique.
    const own = this.#ids.has(id) ? `toolu_01${nuid.next()}` : id;
    this.#ids.add(own);
    this.list.push({ kind: 'tool_use', call: i, id: own, name, text: '', written: 0 });
  }

  /** Adds arguments to their call, even after later blocks. */
  #args({ i, x }: ArgsEvent): void {
    const block = this.list.findLast((one) => one.kind === 'tool_use' && one.call === i);
    if (block) block.text += x;
  }
}

/** The arguments of a call as an object; null while they are incomplete or not an object. */
function inputOf({ text }: CallBlock): Record<string, unknown> | null {
  if (text === '') return {};
  try {
    const input: unknown = JSON.parse(text);
    return typeof input === 'object' && input !== null && !Array.isArray(input) ? (input as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** The content of a whole answer. */
interface Content {
  readonly blocks: object[];
  /** Number of calls left out because their arguments are not an object. */
  readonly broken: number;
}

/** The blocks in the contract's form, without optional keys, since some clients reject null. */
export function contentOf(list: readonly ContentBlock[], visibility: Visibility): Content {
  const blocks = list.map((block) => shown(block, visibility));
  const whole = blocks.filter((block) => block !== null);
  return { blocks: whole, broken: blocks.length - whole.length };
}

function shown(block: ContentBlock, { thinking }: Visibility): object | null {
  if (block.kind === 'text') return { type: 'text', text: wholeCharacters(block.text) };
  if (block.kind === 'thinking')
    return { type: 'thinking', thinking: thinking === 'shown' ? wholeCharacters(block.text) : '', signature: '' };
  const input = inputOf(block);
  return input === null ? null : { type: 'tool_use', id: block.id, name: block.name, input };
}

/** One event of a stream. @param fields further JSON members, each after a comma. */
export const frame = (name: string, fields: string): string => `event: ${name}\ndata: {"type":"${name}"${fields}}\n\n`;

const EMPTY_TEXT = '{"type":"text","text":""}';
const EMPTY_THINKING = '{"type":"thinking","thinking":"","signature":""}';

/** Blocks start empty: some clients ignore initial content, and some count it twice. */
function blockStart(index: number, block: ContentBlock): string {
  return frame('content_block_start', `,"index":${index},"content_block":${emptyBlock(block)}`);
}

function emptyBlock(block: ContentBlock): string {
  if (block.kind === 'text') return EMPTY_TEXT;
  if (block.kind === 'thinking') return EMPTY_THINKING;
  return `{"type":"tool_use","id":${JSON.stringify(block.id)},"name":${JSON.stringify(block.name)},"input":{}}`;
}

const textDelta = (index: number, text: string): string => delta(index, `{"type":"text_delta","text":${jsonText(text)}}`);

const thinkingDelta = (index: number, text: string): string => delta(index, `{"type":"thinking_delta","thinking":${jsonText(text)}}`);

/** The signature is empty, since signatures are never checked here. */
const signatureDelta = (index: number): string => delta(index, '{"type":"signature_delta","signature":""}');

/** A piece of a call's arguments. */
const inputDelta = (index: number, json: string): string => delta(index, `{"type":"input_json_delta","partial_json":${jsonText(json)}}`);

const blockStop = (index: number): string => frame('content_block_stop', `,"index":${index}`);

const delta = (index: number, body: string): string => frame('content_block_delta', `,"index":${index},"delta":${body}`);

/** Writes the blocks of an answer in sequence; content of a later block waits until the earlier ones are complete. */
export class BlockFrames {
  readonly #blocks: ContentBlocks;
  /** Index of the first incomplete block. */
  #index = 0;
  #isOpen = false;
  readonly #visibility: Visibility;

  constructor(visibility: Visibility) {
    this.#visibility = visibility;
    this.#blocks = new ContentBlocks(visibility);
  }

  get hasCalls(): boolean {
    return this.#blocks.hasCalls;
  }

  add(event: StreamEvent): void {
    this.#blocks.add(event);
  }

  /** The frames that can be written now. */
  take(): string {
    let frames = '';
    for (;;) {
      const [block, next] = this.#blocks.list;
      if (!block) return frames;
      frames += this.#continue(block);
      if (!next || !isComplete(block)) return frames;
      frames += this.#close(block);
    }
  }

  /** The first call whose complete arguments are not an object. */
  brokenCall(): CallBlock | undefined {
    return this.#blocks.list.find((block) => block.kind === 'tool_use' && inputOf(block) === null) as CallBlock | undefined;
  }

  /** The frames of all remaining blocks, complete or not. */
  takeLast(): string {
    let frames = '';
    for (let [block] = this.#blocks.list; block; [block] = this.#blocks.list) frames += this.#continue(block) + this.#close(block);
    return frames;
  }

  #continue(block: ContentBlock): string {
    const start = this.#isOpen ? '' : blockStart(this.#index, block);
    this.#isOpen = true;
    // The low surrogate may still arrive.
    return start + this.#upTo(block, endsInHalf(block.text) ? block.text.length - 1 : block.text.length);
  }

  /** The unwritten text of a block, up to `end`. */
  #upTo(block: ContentBlock, end: number): string {
    if (block.kind === 'tool_use') {
      const piece = block.text.slice(block.written, end);
      block.written = end;
      return piece === '' ? '' : inputDelta(this.#index, piece);
    }
    const { kind } = block;
    const text = block.text.slice(0, end);
    block.text = block.text.slice(end);
    if (text === '' || (kind === 'thinking' && this.#visibility.thinking === 'omitted')) return '';
    return kind === 'text' ? textDelta(this.#index, text) : thinkingDelta(this.#index, text);
  }

  #close(block: ContentBlock): string {
    const rest = this.#upTo(block, block.text.length);
    // A call without arguments gets one empty piece.
    const nothing = block.kind === 'tool_use' && block.text === '' ? inputDelta(this.#index, '') : '';
    const signature = block.kind === 'thinking' ? signatureDelta(this.#index) : '';
    const frames = rest + nothing + signature + blockStop(this.#index);
    this.#blocks.list.shift();
    this.#index += 1;
    this.#isOpen = false;
    return frames;
  }
}

/** A call is complete when its arguments are an object. */
const isComplete = (block: ContentBlock): boolean => block.kind !== 'tool_use' || (block.text !== '' && inputOf(block) !== null);
