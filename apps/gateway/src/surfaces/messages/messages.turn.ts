import type { CanonicalMessage, ContentPart, ToolCall } from '@slipway/contracts';
import { textPart } from './blocks/text-block.js';
import type { ToolResult } from './blocks/tool-result-block.js';
import type { AssistantMessage } from './messages.assistant.js';
import type { UserMessage } from './messages.user.js';

/** Between texts that were apart in the request; without it the last word of one would run into the first of the next. */
export const GAP = '\n\n';

/** What the user's side says before the model answers, in one or several messages. */
export class UserTurn {
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

  /** Adds an instruction at its end: to the last result, where it holds nothing but texts of results. */
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

  /** Results first, in their order, so that each follows its call; then one message with their images and all else. */
  messages(): CanonicalMessage[] {
    const tools = this.#results.map(({ id, text }): CanonicalMessage => ({ role: 'tool', content: [textPart(text)], tool_call_id: id }));
    const content = joinTexts([...this.#results.flatMap(({ images }) => images), ...this.#parts]);
    return content.length === 0 ? tools : [...tools, { role: 'user', content }];
  }
}

/** What the model said before the user's next turn, in one or several messages. */
export class AssistantTurn {
  readonly role = 'assistant';
  readonly #texts: string[] = [];
  readonly #thoughts: string[] = [];
  readonly #calls: ToolCall[] = [];
  #at = '';

  get text(): string {
    return this.#texts.join(GAP);
  }

  /** Where its last message stands in the request. */
  get at(): string {
    return this.#at;
  }

  add({ text, thoughts, calls, at }: AssistantMessage): void {
    if (text !== '') this.#texts.push(text);
    for (const thought of thoughts) this.#thoughts.push(thought);
    for (const { id, name, arguments: json } of calls) this.#calls.push({ id, name, arguments: json });
    this.#at = at;
  }

  /** White space at the end of an answer that is to be continued would cut its next word apart. */
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

/** Texts next to each other as one. */
function joinTexts(parts: readonly ContentPart[]): ContentPart[] {
  const joined: ContentPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type === 'text' && last?.type === 'text') joined.splice(-1, 1, textPart(`${last.text}${GAP}${part.text}`));
    else joined.push(part);
  }
  return joined;
}
