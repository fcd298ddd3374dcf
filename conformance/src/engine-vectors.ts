import { createHash } from 'node:crypto';
import { jsonAnswer, type UpstreamScript } from '@slipway/testing';
import type { EngineRequest } from './engine-answers.js';

/** Numbers of a vector of the scripted engine. */
export const DIMENSIONS = 128;
/** Tokens of each text, as it counts them. */
export const TEXT_TOKENS = 3;

/** A vector that depends on the text alone, and is not of length 1. */
function vectorOf(text: string): number[] {
  const bytes = createHash('sha512').update(text).digest();
  return Array.from({ length: DIMENSIONS }, (_, i) => (bytes[i % bytes.length] ?? 0) - 127 + i / 16);
}

/** Vectors of all texts, in their order. */
export function embeddingsAnswer({ model, input }: EngineRequest): UpstreamScript {
  const texts = [input].flat() as readonly string[];
  const tokens = TEXT_TOKENS * texts.length;
  return jsonAnswer(200, {
    ...{ object: 'list', model, usage: { prompt_tokens: tokens, total_tokens: tokens } },
    data: texts.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })),
  });
}
