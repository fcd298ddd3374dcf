import type { ChatTemplate, TemplateInput } from './chat-template.js';

/** A part of a text that is learned, in characters: an answer with the mark that ends its turn. */
export interface LearnedPart {
  readonly from: number;
  readonly to: number;
  /** Number of its message. */
  readonly message: number;
}

/** A conversation as its model reads it, and what of it is learned. */
export interface TrainingText {
  readonly text: string;
  /** Ascending, without overlap. */
  readonly learned: readonly LearnedPart[];
}

/** A template that renders a turn in two ways, by what follows it: the answers cannot be learned in one text. */
export class UnstableTemplateError extends Error {
  override readonly name = 'UnstableTemplateError';
}

/**
 * Renders a whole conversation with the template that serving uses. An answer is learned from the place where serving lets it begin
 * to the end of the mark that ends its turn: what the template writes after that mark (mostly a line break) is never generated.
 * @param ends texts of the tokens that end an answer
 * @throws UnstableTemplateError when the whole text does not begin with the prompt of each answer
 * @throws ServiceError when the template refuses the conversation
 */
export function trainingText(input: TemplateInput, template: ChatTemplate, ends: readonly string[]): TrainingText {
  const { messages } = input;
  const text = template.render({ ...input, complete: true });
  const learned: LearnedPart[] = [];
  for (const [message, { role }] of messages.entries()) {
    if (role !== 'assistant') continue;
    const prompt = template.render({ ...input, messages: messages.slice(0, message) });
    const isLast = message === messages.length - 1;
    const turn = isLast ? text : template.render({ ...input, messages: messages.slice(0, message + 1), complete: true });
    if (!text.startsWith(prompt) || !text.startsWith(turn) || turn.length <= prompt.length) {
      throw new UnstableTemplateError('The chat template renders this conversation differently when it goes on.');
    }
    learned.push({ from: prompt.length, to: endOfTurn(turn, prompt.length, ends), message });
  }
  return { text, learned };
}

/** After the last end mark of a turn; the turn's end where it has none. */
function endOfTurn(turn: string, from: number, ends: readonly string[]): number {
  const places = ends.map((end) => turn.lastIndexOf(end) + (turn.lastIndexOf(end) >= from ? end.length : -Infinity));
  const last = Math.max(...places, -1);
  return last > from ? last : turn.length;
}
