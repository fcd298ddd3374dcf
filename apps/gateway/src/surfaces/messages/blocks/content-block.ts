import type { ContentPart } from '@slipway/contracts';
import type { RequestPolicy } from '../../surface.js';
import { type Block, misplaced } from './block.js';
import { readDocument } from './document-block.js';
import { readImage } from './image-block.js';
import { readSearchResult } from './search-result-block.js';
import { readText, textPart } from './text-block.js';

/** What a block of a user's message or of a tool's result says. @param place for the refusal. @throws ServiceError naming what is wrong. */
export function readContentBlock(block: Block, policy: RequestPolicy, place: string): ContentPart[] {
  switch (block.type) {
    case 'text':
      return [textPart(readText(block))];
    case 'image':
      return [readImage(block, policy)];
    case 'document':
      return readDocument(block, policy);
    case 'search_result':
      return [readSearchResult(block)];
    default:
      throw misplaced(block, place);
  }
}
