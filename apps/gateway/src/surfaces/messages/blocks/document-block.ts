import type { ContentPart } from '@slipway/contracts';
import type { RequestPolicy } from '../../surface.js';
import { fault } from '../messages.fault.js';
import { optionalText, requireObject, requireText } from '../messages.fields.js';
import { type Block, blocksOf, misplaced } from './block.js';
import { readImage } from './image-block.js';
import { readText, textPart } from './text-block.js';

/** A document as what it says: its title, what it is about, and its content. @throws ServiceError for what would have to be converted. */
export function readDocument({ fields, at }: Block, policy: RequestPolicy): ContentPart[] {
  const head = [optionalText(fields['title'], `${at}.title`), optionalText(fields['context'], `${at}.context`)];
  const heading = head.filter((text) => text !== undefined && text !== '').join('\n');
  return [...(heading === '' ? [] : [textPart(heading)]), ...readSource(fields['source'], `${at}.source`, policy)];
}

function readSource(value: unknown, at: string, policy: RequestPolicy): ContentPart[] {
  const source = requireObject(value, at);
  const type = requireText(source['type'], `${at}.type`);
  if (type === 'text') return [textPart(requireText(source['data'], `${at}.data`))];
  if (type === 'content') return blocksOf(source['content'], `${at}.content`).map((block) => readContent(block, policy));
  throw fault('unsupported_content', `${at}.type`, 'Only documents of text or content blocks can be read here.');
}

function readContent(block: Block, policy: RequestPolicy): ContentPart {
  if (block.type === 'text') return textPart(readText(block));
  if (block.type === 'image') return readImage(block, policy);
  throw misplaced(block, 'a document');
}
