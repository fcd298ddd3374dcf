import type { ServerResponse } from 'node:http';

/** What of a request's JSON schemas its answer is not forced to keep. */
const RELAXED_HEADER = 'x-slipway-schema-relaxed';
const MAX_CHARS = 1_000;

/** Pointers joined by commas, in the characters that a header may hold, and how many more there are. */
export function relaxedText(places: readonly string[]): string {
  let text = '';
  for (const [i, place] of places.entries()) {
    const next = `${i === 0 ? '' : ', '}${place.replaceAll(/\p{Surrogate}/gu, '\ufffd').replaceAll(/[^\x21-\x24\x26-\x2b\x2d-\x7e]/gu, encodeURIComponent)}`;
    if (text.length + next.length > MAX_CHARS) return `${text}${i === 0 ? '' : ', '}+${places.length - i} more`;
    text += next;
  }
  return text;
}

/** Names them in a header of the response, where its headers are not sent yet. */
export function noteRelaxed(response: Pick<ServerResponse, 'headersSent' | 'setHeader'>, places: readonly string[]): void {
  if (!response.headersSent && places.length > 0) response.setHeader(RELAXED_HEADER, relaxedText(places));
}
