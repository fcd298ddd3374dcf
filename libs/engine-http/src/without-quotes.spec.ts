import { describe, expect, it } from 'vitest';
import { COMPARED_CHARS, withoutQuotes } from './without-quotes.js';

describe('words of an engine', () => {
  it.each([
    ['no: my secret diary entry', ['refuse my secret diary entry'], 'no:…'],
    ['bad value "tell me of the treasure" at 7', ['Please tell me of the treasure\n in the hills.'], 'bad value "…" at 7'],
    ['key sk-abc123def456 is wrong', ['hello', 'sk-abc123def456'], 'key … is wrong'],
    ['prompt was hunter2', ['hunter2'], 'prompt was …'],
    ['prompt was hunter2', [' hunter2\n'], 'prompt was …'],
    ['temperature must be at most 2', ['What is the temperature in Paris?'], 'temperature must be at most 2'],
    ['top_p must be above 0', ['a', ''], 'top_p must be above 0'],
    ['twice: my secret diary entry, my secret diary entry', ['my secret diary entry'], 'twice: …, …'],
  ])('%j, sent %j, are %j', (words, texts, expected) => {
    expect(withoutQuotes(words, texts, 500)).toBe(expected);
  });

  it.each([
    ['bad: he said "go to C:\\new" now', '{"content":"he said \\"go to C:\\\\new\\" now"}'],
    ["bad: 'the first\\nand the second line'", 'the first\nand the second line'],
    ['bad: the first and the second line', 'the\u3000first\u2028and\u200b the second line'],
    ['bad: the first and the second line', '{"content":"the first\\n\\tand the second line"}'],
  ])('%j quote %j, however each of them is escaped', (words, text) => {
    expect(withoutQuotes(words, [text], 500)).toMatch(/^bad: ?'?…'?$/);
  });

  it('show no part of a quotation at the place where they are cut', () => {
    const quoted = 'my secret diary entry';
    for (let shown = 20; shown <= 40; shown += 1) {
      const words = `${'.'.repeat(20)}${quoted} and more words than these`;
      expect(withoutQuotes(words, [`Dear diary: ${quoted}`], shown)).toBe(`${'.'.repeat(20)}${shown > 20 ? '…' : ''}`);
    }
  });

  it('are compared with a prompt that repeats what they say in linear time', () => {
    const words = 'a'.repeat(500);
    expect(withoutQuotes(words, ['a'.repeat(COMPARED_CHARS)], 500)).toBe('…');
  });

  it('are dropped where the prompt is too long, or in too many texts, to be compared', () => {
    expect(withoutQuotes('anything', ['x'.repeat(COMPARED_CHARS)], 500)).toBe('anything');
    expect(withoutQuotes('anything', ['x'.repeat(COMPARED_CHARS + 1)], 500)).toBe('');
    expect(
      withoutQuotes(
        'anything',
        Array.from({ length: 100_000 }, () => 'word'),
        500,
      ),
    ).toBe('');
  });
});
