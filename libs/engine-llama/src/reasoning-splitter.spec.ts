import { describe, expect, it } from 'vitest';
import { endsInReasoning, ReasoningSplitter } from './reasoning-splitter.js';

const MARKS = { open: '<think>', close: '</think>' };

function split(pieces: Iterable<string>, opened: boolean): { think: string; answer: string } {
  const found = { think: '', answer: '' };
  const splitter = new ReasoningSplitter(MARKS, opened, {
    think: (text) => (found.think += text),
    answer: (text) => (found.answer += text),
  });
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  expect(splitter.held).toBe(0);
  return found;
}

const CASES: readonly [string, boolean, string, { think: string; answer: string }][] = [
  [
    'marks around it',
    false,
    '<think>\nWell, 2 + 2…\n\nit is 4. \n</think>\n\nIt is 4.\n',
    { think: 'Well, 2 + 2…\n\nit is 4.', answer: 'It is 4.\n' },
  ],
  ['begun by the template', true, 'Hm. </think>Yes', { think: 'Hm.', answer: 'Yes' }],
  ['begun by both', true, '\n<think>Hm.</think>Yes', { think: 'Hm.', answer: 'Yes' }],
  ['empty', false, '<think>\n\n</think>\n\nYes', { think: '', answer: 'Yes' }],
  ['without an end', true, 'Hm. And <then', { think: 'Hm. And <then', answer: '' }],
  ['none at all', false, ' \nYes </think> no', { think: '', answer: ' \nYes </think> no' }],
  ['marks later are text', false, 'Use <think> and </think>.', { think: '', answer: 'Use <think> and </think>.' }],
  ['a mark that is none', false, '<thinking> no', { think: '', answer: '<thinking> no' }],
  ['a second block is text', false, '<think>a</think>b<think>c</think>', { think: 'a', answer: 'b<think>c</think>' }],
  ['ends of marks that are none', true, 'a </thin </think', { think: 'a </thin </think', answer: '' }],
];

describe('ReasoningSplitter', () => {
  it.each(CASES)('%s', (_, opened, text, expected) => {
    expect(split([text], opened)).toEqual(expected);
    expect(split(text, opened)).toEqual(expected);
    for (let cut = 1; cut < text.length; cut += 1) {
      expect([cut, split([text.slice(0, cut), text.slice(cut)], opened)]).toEqual([cut, expected]);
    }
  });

  it('finds reasoning at the end of a prompt', () => {
    expect(endsInReasoning('<|assistant|>\n<think>\n', MARKS)).toBe(true);
    expect(endsInReasoning('<think>\n\n</think>\n\n', MARKS)).toBe(false);
  });
});
