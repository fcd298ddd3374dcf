import type { TextPart } from '@slipway/contracts';

export const textPart = (text: string): TextPart => ({ type: 'text', text });

const LONE_SURROGATES = /\p{Surrogate}/gu;

/** A text as a JSON string. A lone surrogate, which no client can decode, becomes the replacement character. */
export function jsonText(text: string): string {
  const json = JSON.stringify(text);
  // JSON.stringify escapes lone surrogates only; searching for the escape is cheaper than checking each character.
  return json.includes('\\ud') ? JSON.stringify(wholeCharacters(text)) : json;
}

/** @returns the text with each lone surrogate replaced. */
export const wholeCharacters = (text: string): string => text.replace(LONE_SURROGATES, '\ufffd');

/** True when a text ends with a high surrogate, whose low one may follow. */
export function endsInHalf(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
