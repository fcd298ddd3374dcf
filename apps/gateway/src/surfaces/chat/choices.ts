import type { FinishReason, StreamEvent, TokenLogprob, Usage } from '@slipway/contracts';
import { probabilityOf } from '../shared/probability.js';
import { endsInHalf, jsonText, wholeCharacters } from '../shared/fields.js';

/** Finish reasons in the contract's words. */
const FINISH: Readonly<Record<FinishReason, string>> = {
  stop: 'stop',
  stop_sequence: 'stop',
  tool_calls: 'tool_calls',
  length: 'length',
  content_filter: 'content_filter',
};

/** The `logprobs` of a choice: one entry for each token. */
function logprobsObject(tokens: readonly TokenLogprob[]): object {
  return { content: tokens.map(probabilityOf), refusal: null };
}

/** Token counts in the contract's form; completion tokens of all choices are summed, the prompt counts once. */
export function usageObject({ prompt, cached, completion, reasoning }: Usage): object {
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

type CallEvent = Extract<StreamEvent, { k: 'call' }>;

/** Where a text belongs: content, reasoning, or the arguments of the call with this number. */
export type TextTarget = 'content' | 'reasoning_content' | number;

const AFTER = '},"logprobs":null,"finish_reason":null}';

/**
 * Writes the chunks of one choice by string concatenation, since each token passes here. `tail` = the part of a chunk after the
 * choice.
 */
export class ChoiceChunks {
  /** A chunk up to its delta. */
  readonly #before: string;
  readonly #content: string;
  #opened = false;
  /** A high surrogate whose low one has not arrived, and where it belongs. */
  #half = '';
  #halfOf: TextTarget = 'content';
  #probabilities: TokenLogprob[] = [];

  /** @param head a chunk up to its choices. */
  constructor(index: number, head: string) {
    this.#before = `${head}{"index":${index},"delta":{`;
    this.#content = `${this.#before}"content":`;
  }

  /** Keeps the probabilities of tokens for the next chunk with content. */
  keepProbabilities(tokens: readonly TokenLogprob[]): void {
    this.#probabilities.push(...tokens);
  }

  /** The chunk of a text; empty for no text, or only a high surrogate. */
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

  /** Writes what is held back, before something else or the end of the choice. */
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

interface Call {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

/** Collects one choice of a completion. */
export class ChoiceDocument {
  #content = '';
  #reasoning = '';
  readonly #calls = new Map<number, Call>();
  readonly #probabilities: TokenLogprob[] = [];

  readonly #index: number;
  readonly #hasLogprobs: boolean;

  /** @param hasLogprobs log probabilities were requested. */
  constructor(index: number, hasLogprobs: boolean) {
    this.#index = index;
    this.#hasLogprobs = hasLogprobs;
  }

  take(event: StreamEvent): void {
    switch (event.k) {
      case 'text':
        this.#content += event.x;
        if (event.lp) this.#probabilities.push(...event.lp);
        break;
      case 'think':
        this.#reasoning += event.x;
        break;
      case 'call':
        this.#calls.set(event.i, { id: event.id, name: event.name, arguments: '' });
        break;
      case 'args': {
        const call = this.#calls.get(event.i);
        if (call) call.arguments += event.x;
        break;
      }
      default:
    }
  }

  /** The choice as an object of the contract. */
  choice(finish: FinishReason): object {
    const calls = [...this.#calls.values()].map(({ id, name, arguments: text }) => ({
      id,
      type: 'function',
      function: { name, arguments: wholeCharacters(text) },
    }));
    const content = calls.length > 0 && this.#content === '' ? null : wholeCharacters(this.#content);
    const message = {
      role: 'assistant',
      content,
      refusal: null,
      ...(this.#reasoning !== '' && { reasoning_content: wholeCharacters(this.#reasoning) }),
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const logprobs = this.#hasLogprobs ? logprobsObject(this.#probabilities) : null;
    return { index: this.#index, message, logprobs, finish_reason: FINISH[finish] };
  }
}
