import type { CanonicalMessage } from '@slipway/contracts';
import { textPart } from './blocks/text-block.js';
import type { ToolResult } from './blocks/tool-result-block.js';
import type { AssistantMessage, EarlierCall } from './messages.assistant.js';
import { fault } from './messages.fault.js';
import { AssistantTurn, GAP, UserTurn } from './messages.turn.js';
import type { UserMessage } from './messages.user.js';

/** System prompt and messages as engines take them, and what else they say. */
export interface Conversation {
  readonly messages: CanonicalMessage[];
  /** Tools that results made known. */
  readonly knownTools: ReadonlySet<string>;
  /** Where the first image stands, if one does. */
  readonly firstImage: string | undefined;
  /** Where the answer stands that is to be continued, if one is. */
  readonly prefill: string | undefined;
  /** The model is to answer results of its calls. */
  readonly endsWithResults: boolean;
}

/** Gathers messages into turns: no role follows itself, and every call is followed by its result. */
export class Turns {
  readonly #turns: (UserTurn | AssistantTurn)[] = [];
  readonly #prompt: string[];
  readonly #knownTools = new Set<string>();
  /** Calls that wait for their results. */
  readonly #open = new Map<string, EarlierCall>();
  /** Instructions that came between calls and their results. */
  #held: string[] = [];
  #firstImage: string | undefined;

  /** @param prompt the texts of the system prompt. */
  constructor(prompt: readonly string[]) {
    this.#prompt = [...prompt];
  }

  /** @throws ServiceError for a result of no call. */
  user({ results, parts, firstImage }: UserMessage): void {
    const turn = this.#userTurn();
    for (const result of results) this.#answered(result);
    turn.add({ results, parts });
    this.#firstImage ??= firstImage;
  }

  /** @throws ServiceError for calls before it that have no result, and for an id that stands for two calls. */
  assistant(message: AssistantMessage): void {
    this.#endUserTurn();
    // An answer of nothing says nothing.
    if (message.text === '' && message.calls.length + message.thoughts.length === 0) return;
    this.#assistantTurn().add(message);
    for (const call of message.calls) {
      if (this.#open.has(call.id)) throw fault('invalid_value', `${call.at}.id`, 'Another tool_use of this turn has the same id.');
      this.#open.set(call.id, call);
    }
  }

  /**
   * Templates take one system message, and only at the start; moving a later one there would change the prompt from its
   * beginning. So it becomes part of the user's turn where it stands, but never comes between a call and its result.
   */
  instruction(texts: readonly string[]): void {
    if (texts.length === 0) return;
    if (this.#turns.length > 0 && this.#open.size === 0) return this.#userTurn().instruct(texts);
    // Not spread into the arguments of a call, which has room for fewer than a request has texts.
    const list = this.#turns.length === 0 ? this.#prompt : this.#held;
    for (const text of texts) list.push(text);
    return undefined;
  }

  /** @throws ServiceError for calls without a result, and where there is nothing to answer. */
  end(): Conversation {
    this.#endUserTurn();
    const prefill = this.#prefill();
    if (!this.#turns.some(({ role }) => role === 'user'))
      throw fault('invalid_value', 'messages', 'At least one user message is required.');
    const last = this.#turns.at(-1);
    const head: CanonicalMessage[] = this.#prompt.length === 0 ? [] : [{ role: 'system', content: [textPart(this.#prompt.join(GAP))] }];
    return {
      messages: [...head, ...this.#turns.flatMap((turn) => turn.messages())],
      knownTools: this.#knownTools,
      firstImage: this.#firstImage,
      prefill,
      endsWithResults: last?.role === 'user' && last.hasResults,
    };
  }

  #answered({ id, at, tools }: ToolResult): void {
    if (!this.#open.delete(id))
      throw fault('invalid_value', `${at}.tool_use_id`, 'It answers no tool_use of the assistant message before it.');
    for (const name of tools) this.#knownTools.add(name);
  }

  #endUserTurn(): void {
    const [unanswered] = this.#open.values();
    if (unanswered) throw fault('invalid_value', unanswered.at, 'This tool_use has no tool_result in the user messages after it.');
    if (this.#held.length > 0) this.#userTurn().instruct(this.#held);
    this.#held = [];
  }

  /** An answer that was begun stands last; one of nothing but thoughts was not begun. */
  #prefill(): string | undefined {
    const last = this.#turns.at(-1);
    if (last?.role !== 'assistant') return undefined;
    last.trimEnd();
    if (last.text !== '') return last.at;
    this.#turns.pop();
    return undefined;
  }

  #userTurn(): UserTurn {
    const last = this.#turns.at(-1);
    if (last?.role === 'user') return last;
    const turn = new UserTurn();
    this.#turns.push(turn);
    return turn;
  }

  #assistantTurn(): AssistantTurn {
    const last = this.#turns.at(-1);
    if (last?.role === 'assistant') return last;
    const turn = new AssistantTurn();
    this.#turns.push(turn);
    return turn;
  }
}
