import { expect, it } from 'vitest';
import { FirstTelling } from './first-telling.js';

it.each([[1], [7], [1_000]])('leaves out what is repeated, in pieces of %i', (length) => {
  const stream = 'event: response.output_text.delta\ndata: a\n\nevent: response.output_text.done\ndata: a\n\nevent: x';
  const told = new FirstTelling();
  let text = '';
  for (let at = 0; at < stream.length; at += length) text += told.take(stream.slice(at, at + length));
  expect(text).toContain('data: a');
  expect(text.match(/data: a/g)).toHaveLength(1);
});
