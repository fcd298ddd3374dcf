import type { Random } from '../engines/random.js';
import { addSome, type Body, words } from './valid-parts.js';

/** A valid body of a request for embeddings, for a model of four dimensions that may be shortened. */
export function embeddingsBody(random: Random, model: string): Body {
  const input = random.chance(0.3) ? words(random) : random.times(random.pick([1, 2, 3, 70, 200]), () => words(random));
  const body: Body = { model, input };
  addSome(random, body, 0.4, [
    ['encoding_format', 'float', 'base64', null],
    ['dimensions', 1, 2, 4, null],
    ['user', 'someone', ''],
    ['stream', true],
    ['some_future_field', 1, { deep: [{}] }],
  ]);
  return body;
}
