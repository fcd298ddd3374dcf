import type { ContentPart } from '@slipway/contracts';
import type { RequestPolicy } from '../surface.js';
import { fault } from './messages.fault.js';
import { blocksOf } from './blocks/block.js';
import { readContentBlock } from './blocks/content-block.js';
import { readToolResult, type ToolResult } from './blocks/tool-result-block.js';

/** A user's message, with the results that it carries apart. */
export interface UserMessage {
  readonly results: readonly ToolResult[];
  readonly parts: readonly ContentPart[];
  readonly firstImage: string | undefined;
}

const saysSomething = (part: ContentPart): boolean => part.type === 'image' || part.text !== '';

/** @throws ServiceError naming the block that is wrong. */
export function readUser(content: unknown, at: string, policy: RequestPolicy): UserMessage {
  const results: ToolResult[] = [];
  const parts: ContentPart[] = [];
  let firstImage: string | undefined;
  for (const block of blocksOf(content, at)) {
    const result = block.type === 'tool_result' ? readToolResult(block, policy) : null;
    const read = result ? result.images : readContentBlock(block, policy, 'a user message');
    if (read.some(({ type }) => type === 'image')) firstImage ??= block.at;
    if (result) results.push(result);
    else for (const part of read.filter(saysSomething)) parts.push(part);
  }
  if (results.length + parts.length === 0) throw fault('invalid_value', at, 'The content of a user message must not be empty.');
  return { results, parts, firstImage };
}
