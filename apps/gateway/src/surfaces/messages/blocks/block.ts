import { fault } from '../messages.fault.js';
import { type Fields, requireObject, requirePresent, requireText } from '../messages.fields.js';

/** One block of a content. */
export interface Block {
  readonly type: string;
  readonly fields: Fields;
  /** Its name in the request, such as `messages.0.content.1`. */
  readonly at: string;
}

/** The blocks of a content. A string is one block of text; an empty one is none. @throws ServiceError naming the block that is none. */
export function blocksOf(content: unknown, at: string): Block[] {
  requirePresent(content, at);
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', fields: { type: 'text', text: content }, at }];
  if (!Array.isArray(content)) throw fault('invalid_type', at, 'Expected a string or an array of blocks.');
  return content.map((entry: unknown, i) => {
    const fields = requireObject(entry, `${at}.${i}`);
    return { type: requireText(fields['type'], `${at}.${i}.type`), fields, at: `${at}.${i}` };
  });
}

/** Block types of the contract that models served here cannot have produced, or that nothing here can carry. */
const KNOWN_ELSEWHERE = /^(server_tool_use|[a-z_]+_tool_result|container_upload|mcp_[a-z_]+|compaction)$/;

/** The refusal of a block that does not belong where it stands. @param place what it stands in, such as `a user message`. */
export function misplaced({ type, at }: Block, place: string): Error {
  if (KNOWN_ELSEWHERE.test(type)) return fault('unsupported_content', `${at}.type`, 'No tool runs here; this block cannot be understood.');
  return fault('unsupported_content', `${at}.type`, `No block of this type can stand in ${place}.`);
}
