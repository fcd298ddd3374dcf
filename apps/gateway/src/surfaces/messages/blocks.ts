import type { StreamEvent } from '@slipway/contracts';
import { nuid } from '@slipway/platform';
import { endsInHalf, jsonText, wholeCharacters } from '../shared/text.js';

/** What the client sees of a model's thoughts: all, only that there are some, or nothing. */
export type ThinkingDisplay = 'shown' | 'omitted' | 'dropped';

type CallEvent = Extract<StreamEvent, { k: 'call' }>;
type ArgsEvent = Extract<StreamEvent, { k: 'args' }>;
type SpokenEvent = Extract<StreamEvent, { k: 'text' | 'think' }>;

/** Text, or thoughts. `text` = what came and is not written yet. */
interface Spoken<K extends 'text' | 'thinking'> {
  readonly kind: K;
  text: string;
}
type SpokenBlock = Spoken<'text'> | Spoken<'thinking'>;

/** A call. `text` = JSON of its arguments so far; the part before `written` has been written. */
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
  /** As the client asked; 0 = the answer stays empty, whatever the engine sends. */
  readonly maxTokens: number;
  /** The first call is shown and no other. */
  readonly oneCall: boolean;
}

/** The content blocks of one answer that the client is shown, in the order in which they began. */
export class ContentBlocks {
  readonly list: ContentBlock[] = [];
  readonly #ids = new Set<string>();

  readonly #visibility: Visibility;

  constructor(visibility: Visibility) {
    this.#visibility = visibility;
  }

  /** The answer has had a call, written or not. */
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
    // Clients find a call's result by its id, so each is its own.
    const own = this.#ids.has(id) ? `toolu_01${nuid.next()}` : id;
    this.#ids.add(own);
    this.list.push({ kind: 'tool_use', call: i, id: own, name, text: '', written: 0 });
  }

  /** Arguments go to their call, whatever was said since it began. */
  #args({ i, x }: ArgsEvent): void {
    const block = this.list.findLast((one) => one.kind === 'tool_use' && one.call === i);
    if (block) block.text += x;
  }
}

/** The arguments of a call as an object; null while they are incomplete, or where they are no object. */
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
  /** Calls that were left out, because their arguments are no object. */
  readonly broken: number;
}

/** Each block as the contract shows it: no key that it does not need, since some clients refuse a null where others declare one. */
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

/** One event of a stream. @param fields the rest of its JSON, each with a comma before it. */
export const frame = (name: string, fields: string): string => `event: ${name}\ndata: {"type":"${name}"${fields}}\n\n`;

const EMPTY_TEXT = '{"type":"text","text":""}';
const EMPTY_THINKING = '{"type":"thinking","thinking":"","signature":""}';

/** Blocks begin empty: some clients ignore other content here, and some take it twice. */
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

/** Thoughts are signed with nothing: no signature is ever looked at here. */
const signatureDelta = (index: number): string => delta(index, '{"type":"signature_delta","signature":""}');

/** A piece of a call's arguments. */
const inputDelta = (index: number, json: string): string => delta(index, `{"type":"input_json_delta","partial_json":${jsonText(json)}}`);

const blockStop = (index: number): string => frame('content_block_stop', `,"index":${index}`);

const delta = (index: number, body: string): string => frame('content_block_delta', `,"index":${index},"delta":${body}`);

/** Writes the blocks of an answer one after the other: what belongs to a later one waits until those before it are complete. */
export class BlockFrames {
  readonly #blocks: ContentBlocks;
  /** Of the first block that is not complete. */
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

  /** Everything that can be written now. */
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

  /** The first call whose arguments are no object, though nothing more will come. */
  brokenCall(): CallBlock | undefined {
    return this.#blocks.list.find((block) => block.kind === 'tool_use' && inputOf(block) === null) as CallBlock | undefined;
  }

  /** The rest, complete or not. */
  takeLast(): string {
    let frames = '';
    for (let [block] = this.#blocks.list; block; [block] = this.#blocks.list) frames += this.#continue(block) + this.#close(block);
    return frames;
  }

  #continue(block: ContentBlock): string {
    const start = this.#isOpen ? '' : blockStart(this.#index, block);
    this.#isOpen = true;
    // The second half of a character may still come.
    return start + this.#upTo(block, endsInHalf(block.text) ? block.text.length - 1 : block.text.length);
  }

  /** What has not been written of a block's text, up to a place in it. */
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
