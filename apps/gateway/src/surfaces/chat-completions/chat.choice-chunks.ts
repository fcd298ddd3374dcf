import type { FinishReason, StreamEvent, TokenLogprob } from '@slipway/contracts';
import { FINISH } from './chat.finish.js';
import { endsInHalf, jsonText } from '../json-text.js';
import { logprobsObject } from './chat.logprobs.js';

type CallEvent = Extract<StreamEvent, { k: 'call' }>;

/** What a text belongs to: the answer, its reasoning, or the arguments of the call with this number. */
export type TextTarget = 'content' | 'reasoning_content' | number;

const AFTER = '},"logprobs":null,"finish_reason":null}';

/**
 * The chunks of one choice, written by hand because each token comes through here. `tail` = what stands behind the choice in
 * a chunk of this moment.
 */
export class ChoiceChunks {
  /** All of a chunk up to its delta. */
  readonly #before: string;
  readonly #content: string;
  #opened = false;
  /** First half of a character whose second half has not come yet, and what it belongs to. */
  #half = '';
  #halfOf: TextTarget = 'content';
  #probabilities: TokenLogprob[] = [];

  /** @param head all of a chunk up to its choices. */
  constructor(index: number, head: string) {
    this.#before = `${head}{"index":${index},"delta":{`;
    this.#content = `${this.#before}"content":`;
  }

  /** Keeps the probabilities of tokens for the next chunk with content. */
  keepProbabilities(tokens: readonly TokenLogprob[]): void {
    this.#probabilities.push(...tokens);
  }

  /** More text; nothing for a text that is empty, or too short to be a character. */
  text(target: TextTarget, x: string, tail: string): string {
    let before = '';
    let text = x;
    if (this.#half !== '' && text !== '') {
      if (target === this.#halfOf) text = this.#half + text;
      else before = this.#chunk(this.#halfOf, this.#half, tail);
      this.#half = '';
    }
    if (text === '') return before;
    if (endsInHalf(text)) {
      this.#half = text.slice(-1);
      this.#halfOf = target;
      text = text.slice(0, -1);
      if (text === '') return before;
    }
    return before + this.#chunk(target, text, tail);
  }

  /** A call begins. */
  call({ i, id, name }: CallEvent, tail: string): string {
    const call = `"tool_calls":[{"index":${i},"id":${jsonText(id)},"type":"function","function":{"name":${jsonText(name)},"arguments":""}}]`;
    return `${this.flush(tail)}${this.#open(tail)}${this.#before}${call}${AFTER}${tail}`;
  }

  /** What is still held back when nothing more of this choice, or something else, comes. */
  flush(tail: string): string {
    const half = this.#half === '' ? '' : this.#chunk(this.#halfOf, this.#half, tail);
    this.#half = '';
    return this.#probabilities.length === 0 ? half : half + this.#chunk('content', '', tail);
  }

  /** The last chunk. */
  finish(reason: FinishReason, tail: string): string {
    return `${this.flush(tail)}${this.#open(tail)}${this.#before}},"logprobs":null,"finish_reason":"${FINISH[reason]}"}${tail}`;
  }

  #chunk(target: TextTarget, text: string, tail: string): string {
    const role = this.#opened ? '' : this.#open(tail);
    const json = jsonText(text);
    if (target === 'content') return `${role}${this.#content}${json}${this.#afterContent()}${tail}`;
    if (target === 'reasoning_content') return `${role}${this.#before}"reasoning_content":${json}${AFTER}${tail}`;
    return `${role}${this.#before}"tool_calls":[{"index":${target},"function":{"arguments":${json}}}]${AFTER}${tail}`;
  }

  #afterContent(): string {
    if (this.#probabilities.length === 0) return AFTER;
    const logprobs = JSON.stringify(logprobsObject(this.#probabilities));
    this.#probabilities = [];
    return `},"logprobs":${logprobs},"finish_reason":null}`;
  }

  #open(tail: string): string {
    if (this.#opened) return '';
    this.#opened = true;
    return `${this.#before}"role":"assistant","content":""${AFTER}${tail}`;
  }
}
