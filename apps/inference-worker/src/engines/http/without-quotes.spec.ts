import { describe, expect, it } from 'vitest';
import { withoutQuotes } from './without-quotes.js';

describe('words of an engine', () => {
  it.each([
    ['no: my secret diary entry', ['refuse my secret diary entry'], 'no:…'],
    ['bad value "tell me of the treasure" at 7', ['Please tell me of the treasure\n in the hills.'], 'bad value "…" at 7'],
    ['key sk-abc123def456 is wrong', ['hello', 'sk-abc123def456'], 'key … is wrong'],
    ['prompt was hunter2', ['hunter2'], 'prompt was …'],
    ['temperature must be at most 2', ['What is the temperature in Paris?'], 'temperature must be at most 2'],
    ['top_p must be above 0', ['a', ''], 'top_p must be above 0'],
  ])('%j, sent %j, are %j', (words, texts, expected) => {
    expect(withoutQuotes(words, texts)).toBe(expected);
  });

  it('are dropped where the prompt is too long to be compared', () => {
    expect(withoutQuotes('anything', ['x'.repeat(1024 * 1024 + 1)])).toBe('');
  });
});
