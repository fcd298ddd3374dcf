import type { CanonicalMessage, ContentPart, ToolCall } from '@slipway/contracts';
import { textPart } from './blocks/text-block.js';
import type { ToolResult } from './blocks/tool-result-block.js';
import type { AssistantMessage } from './messages.assistant.js';

/** Between texts that were apart in the request; without it the last word of one would run into the first of the next. */
export const GAP = '\n\n';

/** What the user's side says before the model answers, in one or several messages. */
export class UserTurn {
  readonly role = 'user';
  readonly results: ToolResult[] = [];
  readonly parts: ContentPart[] = [];

  /** Adds an instruction at its end: to the last result, where it holds nothing else. */
  instruct(texts: readonly string[]): void {
    const last = this.results.at(-1);
    const onlyTexts = this.parts.length === 0 && this.results.every(({ images }) => images.length === 0);
    if (last && onlyTexts) last.text = [last.text, ...texts].filter((text) => text !== '').join(GAP);
    else this.parts.push(...texts.map(textPart));
  }

  /** Results first, in their order, so that each follows its call; then one message with their images and all else. */
  messages(): CanonicalMessage[] {
    const tools = this.results.map(({ id, text }): CanonicalMessage => ({ role: 'tool', content: [textPart(text)], tool_call_id: id }));
    const content = joinTexts([...this.results.flatMap(({ images }) => images), ...this.parts]);
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
    this.#thoughts.push(...thoughts);
    this.#calls.push(...calls.map(({ id, name, arguments: text_ }) => ({ id, name, arguments: text_ })));
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
