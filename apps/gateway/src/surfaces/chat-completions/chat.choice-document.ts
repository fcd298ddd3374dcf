import type { FinishReason, StreamEvent, TokenLogprob } from '@slipway/contracts';
import { FINISH } from './chat.finish.js';
import { wholeCharacters } from '../json-text.js';
import { logprobsObject } from './chat.logprobs.js';

interface Call {
  readonly id: string;
  readonly name: string;
  arguments: string;
}

/** Gathers one choice of a completion. */
export class ChoiceDocument {
  #content = '';
  #reasoning = '';
  readonly #calls = new Map<number, Call>();
  readonly #probabilities: TokenLogprob[] = [];

  /** @param hasLogprobs they were asked for. */
  constructor(
    private readonly index: number,
    private readonly hasLogprobs: boolean,
  ) {}

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
    const logprobs = this.hasLogprobs ? logprobsObject(this.#probabilities) : null;
    return { index: this.index, message, logprobs, finish_reason: FINISH[finish] };
  }
}
