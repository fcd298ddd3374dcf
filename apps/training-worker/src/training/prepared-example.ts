import { type CanonicalRequest, ServiceError, textOf } from '@slipway/contracts';
import type { ModelTexts } from '../scoring.js';
import { guardInput, templateInput, trainingText, UnstableTemplateError } from '@slipway/model-text';
import type { Example } from './read-example.js';
import type { AnswerCheck } from './right-answer.js';

/** Why an example is not learned. */
export type LeftOut = 'control_token' | 'refused' | 'too_long' | 'turns_differ' | 'unreadable';

/** A piece of an example's text: what `assistant` says is learned, the rest is context. */
export interface Piece {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** An example as the base reads it. */
export interface PreparedExample {
  readonly pieces: readonly Piece[];
  /** To the end of the last answer. */
  readonly tokens: readonly number[];
  /** Learned tokens, from and to. */
  readonly spans: readonly (readonly [from: number, to: number])[];
  /** What its last answer is asked with, and that answer, for people. */
  readonly asked: string;
  readonly expected: string;
  /** That answer as the base writes it, without the mark that ends it. */
  readonly reference: string;
  /** How answers are compared with it; absent = as text. */
  readonly check?: AnswerCheck;
  /** All before the last learned answer, as text: equal for equal prompts. */
  readonly prompt: string;
  /** Tokens of `prompt`. */
  readonly promptTokens: number;
}

/** Prepares examples for one base. */
export class ExamplePreparer {
  constructor(
    private readonly texts: ModelTexts,
    /** Tokens of the longest example. */
    private readonly most: number,
    private readonly tooLong: 'leave_out' | 'cut' | 'refuse',
  ) {}

  prepare(example: Example): PreparedExample | LeftOut {
    const prepared = this.#render(example);
    if (typeof prepared === 'string' || prepared.tokens.length <= this.most) return prepared;
    return this.tooLong === 'cut' ? this.#cut(example) : 'too_long';
  }

  /** Drops the oldest turns, not the system message, until it fits. */
  #cut({ messages, learned, tools }: Example): PreparedExample | LeftOut {
    const kept = messages[0]?.role === 'system' ? 1 : 0;
    for (let from = kept + 1; from < messages.length; from += 1) {
      if (messages[from]?.role !== 'user') continue;
      const shorter = {
        tools,
        messages: [...messages.slice(0, kept), ...messages.slice(from)],
        learned: [...learned.slice(0, kept), ...learned.slice(from)],
      };
      const prepared = shorter.learned.includes(true) ? this.#render(shorter) : 'too_long';
      if (typeof prepared === 'string' || prepared.tokens.length <= this.most) return prepared;
    }
    return 'too_long';
  }

  #render(example: Example): PreparedExample | LeftOut {
    const { template, facts, guard, ends } = this.texts;
    const { messages, tools } = example;
    const request: CanonicalRequest = { messages: [...messages], sampling: {}, stop: [], ...(tools && { tools }) };
    try {
      const input = templateInput(request, facts);
      // In plain text the trainer would read such a text as the token itself, which serving never does.
      if (JSON.stringify(guardInput(input, guard).input) !== JSON.stringify(input)) return 'control_token';
      const { text, learned } = trainingText(input, template, ends);
      const parts = learned.filter(({ message }) => example.learned[message] === true);
      return this.#tokenize(text, parts, messages);
    } catch (error) {
      if (error instanceof UnstableTemplateError) return 'turns_differ';
      if (error instanceof ServiceError) return 'refused';
      throw error;
    }
  }

  #tokenize(text: string, parts: readonly { from: number; to: number; message: number }[], messages: Example['messages']): PreparedExample {
    const pieces: Piece[] = [];
    let at = 0;
    for (const { from, to } of parts) {
      pieces.push({ role: 'user', content: text.slice(at, from) }, { role: 'assistant', content: text.slice(from, to) });
      at = to;
    }
    const last = parts.at(-1) ?? { from: 0, to: 0, message: 0 };
    const tokens = this.tokensOf(text.slice(0, at));
    const spans = parts.map(
      ({ from, to }) => [this.#shared(text.slice(0, from), tokens), this.#shared(text.slice(0, to), tokens)] as const,
    );
    const answer = messages[last.message];
    const reference = withoutEnd(text.slice(last.from, last.to), this.texts.ends);
    const before = messages.slice(0, last.message).findLast(({ role }) => role === 'user' || role === 'tool');
    return {
      pieces,
      tokens,
      spans,
      asked: before ? textOf(before) : '',
      expected: answer && textOf(answer) !== '' ? textOf(answer) : reference,
      reference,
      prompt: text.slice(0, last.from),
      promptTokens: spans.at(-1)?.[0] ?? 0,
    };
  }

  /** Tokens of a text that begins a prompt. */
  tokensOf(text: string): number[] {
    const { tokenizer } = this.texts;
    const tokens = tokenizer.tokenize(text, true);
    if (tokenizer.prefix !== null && tokens[0] !== tokenizer.prefix) tokens.unshift(tokenizer.prefix);
    return tokens;
  }

  /** How many tokens a beginning of the text has; one that spans its end counts for what follows. */
  #shared(beginning: string, tokens: readonly number[]): number {
    const own = this.tokensOf(beginning);
    const differing = own.findIndex((token, i) => token !== tokens[i]);
    return differing < 0 ? own.length : differing;
  }
}

function withoutEnd(answer: string, ends: readonly string[]): string {
  const end = ends.find((text) => answer.endsWith(text)) ?? '';
  return answer.slice(0, answer.length - end.length);
}
