import type { ToolCall } from '@slipway/contracts';
import { optionalText } from './messages.fields.js';
import { blocksOf, misplaced } from './blocks/block.js';
import { readText } from './blocks/text-block.js';
import { readToolUse } from './blocks/tool-use-block.js';

/** An earlier call, and where it stands in the request. */
export interface EarlierCall extends ToolCall {
  readonly at: string;
}

/** What the model said in an earlier turn. */
export interface AssistantMessage {
  readonly text: string;
  readonly thoughts: readonly string[];
  readonly calls: readonly EarlierCall[];
  /** Where it stands in the request. */
  readonly at: string;
}

/** The text blocks of an answer are pieces of one text. @throws ServiceError naming the block that is wrong. */
export function readAssistant(content: unknown, at: string): AssistantMessage {
  let text = '';
  const thoughts: string[] = [];
  const calls: EarlierCall[] = [];
  for (const block of blocksOf(content, `${at}.content`)) {
    if (block.type === 'text') text += readText(block);
    else if (block.type === 'tool_use') calls.push({ ...readToolUse(block), at: block.at });
    // Their signatures are nobody's business, and what is redacted can be read by nobody.
    else if (block.type === 'thinking') thoughts.push(optionalText(block.fields['thinking'], `${block.at}.thinking`) ?? '');
    else if (block.type !== 'redacted_thinking') throw misplaced(block, 'an assistant message');
  }
  return { text, thoughts: thoughts.filter((thought) => thought !== ''), calls, at };
}
