import type { StreamEvent } from '@slipway/contracts';
import { endsInHalf } from '../json-text.js';
import { type AnswerBlock, AnswerBlocks, type CallBlock, inputOf, type Visibility } from './messages.blocks.js';
import { blockStart, blockStop, inputDelta, signatureDelta, textDelta, thinkingDelta } from './messages.frames.js';

/** Writes the blocks of an answer one after the other: what belongs to a later one waits until those before it are complete. */
export class BlockFrames {
  readonly #blocks: AnswerBlocks;
  /** Of the first block that is not complete. */
  #index = 0;
  #isOpen = false;

  constructor(private readonly visibility: Visibility) {
    this.#blocks = new AnswerBlocks(visibility);
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

  #continue(block: AnswerBlock): string {
    const start = this.#isOpen ? '' : blockStart(this.#index, block);
    this.#isOpen = true;
    // The second half of a character may still come.
    return start + this.#upTo(block, endsInHalf(block.text) ? block.text.length - 1 : block.text.length);
  }

  /** What has not been written of a block's text, up to a place in it. */
  #upTo(block: AnswerBlock, end: number): string {
    if (block.kind === 'tool_use') {
      const piece = block.text.slice(block.written, end);
      block.written = end;
      return piece === '' ? '' : inputDelta(this.#index, piece);
    }
    const { kind } = block;
    const text = block.text.slice(0, end);
    block.text = block.text.slice(end);
    if (text === '' || (kind === 'thinking' && this.visibility.thinking === 'omitted')) return '';
    return kind === 'text' ? textDelta(this.#index, text) : thinkingDelta(this.#index, text);
  }

  #close(block: AnswerBlock): string {
    const rest = this.#upTo(block, block.text.length);
    // A call without arguments is told so.
    const nothing = block.kind === 'tool_use' && block.text === '' ? inputDelta(this.#index, '') : '';
    const signature = block.kind === 'thinking' ? signatureDelta(this.#index) : '';
    const frames = rest + nothing + signature + blockStop(this.#index);
    this.#blocks.list.shift();
    this.#index += 1;
    this.#isOpen = false;
    return frames;
  }
}

/** More may come of a call that has no arguments yet, or not all of them. */
const isComplete = (block: AnswerBlock): boolean => block.kind !== 'tool_use' || (block.text !== '' && inputOf(block) !== null);
