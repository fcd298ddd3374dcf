import type { ContentPart, ImagePart } from '@slipway/contracts';
import type { RequestPolicy } from '../../surface.js';
import { isAbsent, optionalFlag, requireText } from '../messages.fields.js';
import { type Block, blocksOf } from './block.js';
import { readContentBlock } from './content-block.js';
import { textPart } from './text-block.js';

/** What came of one call. */
export interface ToolResult {
  readonly id: string;
  readonly at: string;
  text: string;
  /** They cannot stand in a result where a template writes it. */
  readonly images: readonly ImagePart[];
  /** Tools that it made known. */
  readonly tools: readonly string[];
}

/** @throws ServiceError naming what is wrong. */
export function readToolResult({ fields, at }: Block, policy: RequestPolicy): ToolResult {
  const id = requireText(fields['tool_use_id'], `${at}.tool_use_id`);
  const isError = optionalFlag(fields['is_error'], `${at}.is_error`) ?? false;
  const blocks = isAbsent(fields['content']) ? [] : blocksOf(fields['content'], `${at}.content`);
  const references = blocks.filter(({ type }) => type === 'tool_reference').map(referenced);
  const parts = blocks.flatMap((block): ContentPart[] =>
    block.type === 'tool_reference' ? [textPart(referenced(block))] : readContentBlock(block, policy, 'a tool result'),
  );
  const texts = parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  const images = parts.filter((part) => part.type === 'image');
  return { id, at, text: `${isError ? 'Error: ' : ''}${texts.join('\n')}`, images, tools: references };
}

const referenced = ({ fields, at }: Block): string => requireText(fields['tool_name'], `${at}.tool_name`);
