import type { TextPart } from '@slipway/contracts';
import { requireText } from '../messages.fields.js';
import { type Block, blocksOf, misplaced } from './block.js';

/** @throws ServiceError naming what is wrong. */
export const readText = ({ fields, at }: Block): string => requireText(fields['text'], `${at}.text`);

export const textPart = (text: string): TextPart => ({ type: 'text', text });

/** The texts of a content that may hold nothing else; empty ones are left out. @param place for the refusal. */
export function readTexts(content: unknown, at: string, place: string): string[] {
  const texts = blocksOf(content, at).map((block) => {
    if (block.type !== 'text') throw misplaced(block, place);
    return readText(block);
  });
  return texts.filter((text) => text !== '');
}
