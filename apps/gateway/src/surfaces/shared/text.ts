import type { TextPart } from '@slipway/contracts';

export const textPart = (text: string): TextPart => ({ type: 'text', text });

const HALF_CHARACTERS = /\p{Surrogate}/gu;

/** A text as a JSON string. Half a character, which no client can decode, becomes the replacement character. */
export function jsonText(text: string): string {
  const json = JSON.stringify(text);
  // Only halves are written as such an escape; looking for it costs less than looking at each character.
  return json.includes('\\ud') ? JSON.stringify(wholeCharacters(text)) : json;
}

/** @returns the text with the replacement character for each half of one. */
export const wholeCharacters = (text: string): string => text.replace(HALF_CHARACTERS, '\ufffd');

/** True when a text breaks off inside a character whose second half is still to come. */
export function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
