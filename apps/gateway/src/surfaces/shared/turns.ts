import type { CanonicalMessage, ContentPart, ImagePart, ServiceError, ToolCall } from '@slipway/contracts';
import { textPart } from './fields.js';

/** The result of one call. */
export interface ToolResult {
  readonly id: string;
  readonly at: string;
  text: string;
  /** Separate, since chat templates accept no images in a result. */
  readonly images: readonly ImagePart[];
  /** Deferred tools that the result names. */
  readonly tools: readonly string[];
}

/** A user message, with its tool results separate. */
export interface UserMessage {
  readonly results: readonly ToolResult[];
  readonly parts: readonly ContentPart[];
  readonly firstImage: string | undefined;
}

/** An earlier call and its path in the request. */
export interface EarlierCall extends ToolCall {
  readonly at: string;
}

/** An earlier message of the model. */
export interface AssistantMessage {
  readonly text: string;
  readonly thoughts: readonly string[];
  readonly calls: readonly EarlierCall[];
  /** Path in the request. */
  readonly at: string;
}

/** Separator of joined texts. */
const GAP = '\n\n';

/** One or several user messages before the next answer. */
class UserTurn {
  readonly role = 'user';
  readonly #results: ToolResult[] = [];
  readonly #parts: ContentPart[] = [];
  #hasOnlyResults = true;

  get hasResults(): boolean {
    return this.#results.length > 0;
  }

  add({ results, parts }: Pick<UserMessage, 'results' | 'parts'>): void {
    for (const result of results) {
      this.#results.push(result);
      if (result.images.length > 0) this.#hasOnlyResults = false;
    }
    for (const part of parts) this.#addPart(part);
  }

  /** Appends an instruction: to the last result where the turn has only text results. */
  instruct(texts: readonly string[]): void {
    const last = this.#hasOnlyResults ? this.#results.at(-1) : undefined;
    for (const text of texts) {
      if (!last) this.#addPart(textPart(text));
      else last.text = last.text === '' ? text : `${last.text}${GAP}${text}`;
    }
  }

  #addPart(part: ContentPart): void {
    this.#parts.push(part);
    this.#hasOnlyResults = false;
  }

  /** The results in order, so that each follows its call; then one message with their images and all other parts. */
  messages(): CanonicalMessage[] {
    const tools = this.#results.map(({ id, text }): CanonicalMessage => ({ role: 'tool', content: [textPart(text)], tool_call_id: id }));
    const content = joinTexts([...this.#results.flatMap(({ images }) => images), ...this.#parts]);
    return content.length === 0 ? tools : [...tools, { role: 'user', content }];
  }
}

/** One or several messages of the model before the next user turn. */
class AssistantTurn {
  readonly role = 'assistant';
  readonly #texts: string[] = [];
  readonly #thoughts: string[] = [];
  readonly #calls: ToolCall[] = [];
  #at = '';

  get text(): string {
    return this.#texts.join(GAP);
  }

  /** Path of its last message in the request. */
  get at(): string {
    return this.#at;
  }

  add({ text, thoughts, calls, at }: AssistantMessage): void {
    if (text !== '') this.#texts.push(text);
    for (const thought of thoughts) this.#thoughts.push(thought);
    for (const { id, name, arguments: json } of calls) this.#calls.push({ id, name, arguments: json });
    this.#at = at;
  }

  /** Removes trailing white space, which would split the next word of a continued answer. */
  trimEnd(): void {
    const trimmed = this.text.trimEnd();
    this.#texts.splice(0, this.#texts.length, ...(trimmed === '' ? [] : [trimmed]));
  }

  messages(): CanonicalMessage[] {
    const message: CanonicalMessage = {
      role: 'assistant',
      content: this.#texts.length === 0 ? [] : [textPart(this.text)],
      ...(this.#thoughts.length > 0 && { reasoning: this.#thoughts.join(GAP) }),
      ...(this.#calls.length > 0 && { tool_calls: this.#calls }),
    };
    return [message];
  }
}

/** Joins adjacent texts. */
function joinTexts(parts: readonly ContentPart[]): ContentPart[] {
  const joined: ContentPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text') joined.splice(-1, 1, textPart(`${last.text}${GAP}${part.text}`));
    else joined.push(part);
  }
  return joined;
}

/** System prompt and messages in canonical form, with what else the request needs to know of them. */
export interface Conversation {
  readonly messages: CanonicalMessage[];
  /** Deferred tools that results name. */
  readonly knownTools: ReadonlySet<string>;
  /** Path of the first image, if there is one. */
  readonly firstImage: string | undefined;
  /** The conversation has a user message, or a result. */
  readonly hasUser: boolean;
  /** Path of the message to continue, if there is one. */
  readonly prefill: string | undefined;
  /** The conversation ends with tool results. */
  readonly endsWithResults: boolean;
}

/** A contract's errors of a conversation whose calls and results do not fit. */
export interface TurnFaults {
  readonly noCall: (result: ToolResult) => ServiceError;
  readonly noResult: (call: EarlierCall) => ServiceError;
  /** An earlier call of the turn has the same id. */
  readonly repeatedId: (call: EarlierCall) => ServiceError;
}

/** Groups messages into turns: roles alternate, and every call is followed by its result. */
export class Turns {
  readonly #turns: (UserTurn | AssistantTurn)[] = [];
  readonly #prompt: string[];
  readonly #knownTools = new Set<string>();
  /** Calls without a result so far. */
  readonly #open = new Map<string, EarlierCall>();
  /** Instructions between calls and their results. */
  #held: string[] = [];
  #firstImage: string | undefined;

  readonly #faults: TurnFaults;

  /** @param prompt the texts of the system prompt. */
  constructor(prompt: readonly string[], faults: TurnFaults) {
    this.#prompt = [...prompt];
    this.#faults = faults;
  }

  /** @throws ServiceError for a result without a call. */
  user({ results, parts, firstImage }: UserMessage): void {
    const turn = this.#userTurn();
    for (const result of results) this.#addResult(result);
    turn.add({ results, parts });
    this.#firstImage ??= firstImage;
  }

  /** @throws ServiceError for an earlier call without a result, and for two calls with one id. */
  assistant(message: AssistantMessage): void {
    this.#endUserTurn();
    // An empty answer adds no turn.
    if (message.text === '' && message.calls.length + message.thoughts.length === 0) return;
    this.#assistantTurn().add(message);
    for (const call of message.calls) {
      if (this.#open.has(call.id)) throw this.#faults.repeatedId(call);
      this.#open.set(call.id, call);
    }
  }

  /**
   * Adds a system message. Chat templates accept only one, at the start, and moving a later one there would change the cached
   * prefix. So a later one becomes part of the user turn, never between a call and its result.
   */
  instruction(texts: readonly string[]): void {
    if (texts.length === 0) return;
    if (this.#turns.length > 0 && this.#open.size === 0) return this.#userTurn().instruct(texts);
    // A loop: spreading so many texts into arguments could overflow the stack.
    const list = this.#turns.length === 0 ? this.#prompt : this.#held;
    for (const text of texts) list.push(text);
    return undefined;
  }

  /**
   * @param continues the answer continues a final message of the assistant.
   * @throws ServiceError for calls without a result.
   */
  end(continues: boolean): Conversation {
    this.#endUserTurn();
    const prefill = continues ? this.#prefill() : undefined;
    const last = this.#turns.at(-1);
    const head: CanonicalMessage[] = this.#prompt.length === 0 ? [] : [{ role: 'system', content: [textPart(this.#prompt.join(GAP))] }];
    return {
      messages: [...head, ...this.#turns.flatMap((turn) => turn.messages())],
      knownTools: this.#knownTools,
      firstImage: this.#firstImage,
      hasUser: this.#turns.some(({ role }) => role === 'user'),
      prefill,
      endsWithResults: last?.role === 'user' && last.hasResults,
    };
  }

  #addResult(result: ToolResult): void {
    if (!this.#open.delete(result.id)) throw this.#faults.noCall(result);
    for (const name of result.tools) this.#knownTools.add(name);
  }

  #endUserTurn(): void {
    const [unanswered] = this.#open.values();
    if (unanswered) throw this.#faults.noResult(unanswered);
    if (this.#held.length > 0) this.#userTurn().instruct(this.#held);
    this.#held = [];
  }

  /** The path of a final assistant message, which is continued. One without text is removed. */
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
