import type { TextPart } from '@slipway/contracts';
import { requireText } from '../messages.fields.js';
import type { Block } from './block.js';
import { readTexts, textPart } from './text-block.js';

/** A search result as text: its title, where it is from, and what it says. @throws ServiceError naming what is wrong. */
export function readSearchResult({ fields, at }: Block): TextPart {
  const title = requireText(fields['title'], `${at}.title`);
  const source = requireText(fields['source'], `${at}.source`);
  return textPart([title, source, ...readTexts(fields['content'], `${at}.content`, 'a search result')].join('\n'));
}
