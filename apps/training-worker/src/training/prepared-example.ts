import { type CanonicalRequest, ServiceError, textOf } from '@slipway/contracts';
import type { ModelTexts } from '../scoring.js';
import { guardInput, type LearnedPart, type TemplateInput, templateInput, trainingText, UnstableTemplateError } from '@slipway/model-text';
import type { Example } from './read-example.js';
import type { AnswerCheck } from './right-answer.js';

/** Why an example is not learned. */
export type LeftOut = 'control_token' | 'refused' | 'too_long' | 'turns_differ' | 'unreadable';

/** A piece of an example's text: what `assistant` says is learned, the rest is context. */
export interface Piece {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Tokens of an example, to the end of its last answer, and which of them are learned, from and to. */
export interface LearnedTokens {
  readonly tokens: readonly number[];
  readonly spans: readonly (readonly [from: number, to: number])[];
}

/** An example as the base reads it. Its tokens are those of serving: the prompt's, then those of the answer to it. */
export interface PreparedExample extends LearnedTokens {
  /** Of a preference: the same prompt with the worse answer. */
  readonly rejected?: LearnedTokens;
  readonly pieces: readonly Piece[];
  /** Its tokens as a trainer reads them that takes one text; absent = the same. */
  readonly asOneText?: LearnedTokens;
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
    return example.rejected ? this.#preparePair(example, example.rejected) : this.#prepareOne(example);
  }

  /** Neither side is cut: they would begin with different prompts. */
  #preparePair(example: Example, worse: NonNullable<Example['rejected']>): PreparedExample | LeftOut {
    const [chosen, rejected] = [this.#render(example), this.#render({ ...example, ...worse })];
    if (typeof chosen === 'string') return chosen;
    if (typeof rejected === 'string') return rejected;
    if (Math.max(chosen.tokens.length, rejected.tokens.length) > this.most) return 'too_long';
    const { tokens, spans } = rejected;
    return { ...chosen, rejected: { tokens, spans } };
  }

  #prepareOne(example: Example): PreparedExample | LeftOut {
    const prepared = this.#render(example);
    if (typeof prepared === 'string' || prepared.tokens.length <= this.most) return prepared;
    return this.tooLong === 'cut' ? this.#cut(example) : 'too_long';
  }

  /** Drops the oldest turns, not the system message, until it fits. */
  #cut({ messages, learned, tools, place }: Example): PreparedExample | LeftOut {
    const kept = messages[0]?.role === 'system' ? 1 : 0;
    for (let from = kept + 1; from < messages.length; from += 1) {
      if (messages[from]?.role !== 'user') continue;
      const shorter = {
        tools,
        messages: [...messages.slice(0, kept), ...messages.slice(from)],
        learned: [...learned.slice(0, kept), ...learned.slice(from)],
        place,
      };
      const prepared = shorter.learned.includes(true) ? this.#render(shorter) : 'too_long';
      if (typeof prepared === 'string' || prepared.tokens.length <= this.most) return prepared;
    }
    return 'too_long';
  }

  #render(example: Example): PreparedExample | LeftOut {
    const { template, facts, ends } = this.texts;
    const { messages, tools } = example;
    const request: CanonicalRequest = { messages: [...messages], sampling: {}, stop: [], ...(tools && { tools }) };
    try {
      const input = templateInput(request, facts);
      const { text, learned } = trainingText(input, template, ends);
      if (this.#holdsControlToken(input, text)) return 'control_token';
      const parts = learned.filter(({ message }) => example.learned[message] === true);
      return this.#tokenize(text, parts, messages);
    } catch (error) {
      if (error instanceof UnstableTemplateError) return 'turns_differ';
      if (error instanceof ServiceError) return 'refused';
      throw error;
    }
  }

  /** Whether the trainer would read a text of the example as a token of the template, which serving never does. */
  #holdsControlToken(input: TemplateInput, text: string): boolean {
    const { template, guard, tokenizer } = this.texts;
    const guarded = guardInput(input, guard);
    if (JSON.stringify(guarded.input) === JSON.stringify(input)) return false;
    const parts = guarded.split(template.render({ ...guarded.input, complete: true }));
    const served = parts.flatMap((part, i) => tokenizer.tokenize(part, i === 0));
    return !isSame(this.#prefixed(served), this.tokensOf(text));
  }

  #tokenize(text: string, parts: readonly LearnedPart[], messages: Example['messages']): PreparedExample {
    const pieces: Piece[] = [];
    let at = 0;
    for (const { from, to } of parts) {
      pieces.push({ role: 'user', content: text.slice(at, from) }, { role: 'assistant', content: text.slice(from, to) });
      at = to;
    }
    const last = parts.at(-1) ?? { from: 0, to: 0, message: 0 };
    const answer = messages[last.message];
    const learned = this.#learned(text.slice(0, at), parts);
    const reference = withoutEnd(text.slice(last.from, last.to), this.texts.ends);
    const before = messages.slice(0, last.message).findLast(({ role }) => role === 'user' || role === 'tool');
    return {
      pieces,
      ...learned,
      asked: before ? textOf(before) : '',
      expected: answer && textOf(answer) !== '' ? textOf(answer) : reference,
      reference,
      prompt: text.slice(0, last.from),
      promptTokens: learned.spans.at(-1)?.[0] ?? 0,
    };
  }

  #learned(text: string, parts: readonly LearnedPart[]): LearnedTokens & { readonly asOneText?: LearnedTokens } {
    const spansOf = (tokens: readonly number[]): [number, number][] => parts.map(({ from, to }) => this.#span(text, [from, to], tokens));
    const whole = this.tokensOf(text);
    const last = parts.at(-1)?.from ?? 0;
    const prompt = this.tokensOf(text.slice(0, last));
    const served = [...prompt, ...this.texts.tokenizer.tokenize(text.slice(last), false)];
    const asOneText = { tokens: whole, spans: spansOf(whole) };
    if (isSame(served, whole)) return asOneText;
    return { tokens: served, spans: [...spansOf(served).slice(0, -1), [prompt.length, served.length]], asOneText };
  }

  /** Tokens of a text that begins a prompt. */
  tokensOf(text: string): number[] {
    return this.#prefixed(this.texts.tokenizer.tokenize(text, true));
  }

  #prefixed(tokens: readonly number[]): number[] {
    const { prefix } = this.texts.tokenizer;
    return prefix !== null && tokens[0] !== prefix ? [prefix, ...tokens] : [...tokens];
  }

  /** Tokens that lie within a part of the text: one that reaches over its edge is not learned. */
  #span(text: string, [from, to]: readonly [number, number], tokens: readonly number[]): [number, number] {
    const shared = (beginning: string): { count: number; reaches: boolean } => {
      const own = this.tokensOf(beginning);
      const differing = own.findIndex((token, i) => token !== tokens[i]);
      return differing < 0 ? { count: own.length, reaches: false } : { count: differing, reaches: true };
    };
    const start = shared(text.slice(0, from));
    return [start.count + (start.reaches ? 1 : 0), shared(text.slice(0, to)).count];
  }
}

const isSame = (a: readonly number[], b: readonly number[]): boolean => a.length === b.length && a.every((token, i) => token === b[i]);

function withoutEnd(answer: string, ends: readonly string[]): string {
  const end = ends.find((text) => answer.endsWith(text)) ?? '';
  return answer.slice(0, answer.length - end.length);
}
