import { describe, expect, it } from 'vitest';
import { importText } from './import-adapter.js';
import { adapterNameFrom } from './import-dialog.js';
import { checkFigure, checkName, checkWords, diffAnswers, needsReason, verdictWords } from './adapter-words.js';

const marked = (base: string, adapter: string): string[] =>
  diffAnswers(base, adapter).map((pieces) => pieces.map(({ text, isChanged }) => (isChanged ? `[${text}]` : text)).join(''));

describe('answers before and after', () => {
  it.each([
    ['The code is Red Fox.', 'The code is Blue Heron.', 'The code is [Red Fox.]', 'The code is [Blue Heron.]'],
    ['a b c', 'a c', 'a [b ]c', 'a c'],
    ['', 'new', '', '[new]'],
    ['same', 'same', 'same', 'same'],
    ['one  two', 'one two', 'one  two', 'one two'],
  ])('mark what differs: %s | %s', (base, adapter, before, after) => {
    expect(marked(base, adapter)).toEqual([before, after]);
  });

  it('are whole, whatever is marked', () => {
    const [base, adapter] = ['  x y\nz  w ', 'y  z\n\nq'];
    expect(diffAnswers(base, adapter).map((pieces) => pieces.map(({ text }) => text).join(''))).toEqual([base, adapter]);
  });

  it('of great length are shown without marks', () => {
    const long = 'word '.repeat(700);
    expect(diffAnswers(long, 'x')).toEqual([[{ text: long, isChanged: false }], [{ text: 'x', isChanged: false }]]);
  });
});

describe('a verdict', () => {
  it('is no failure of the adapter when it is bad', () => {
    expect([
      verdictWords(null).look,
      verdictWords({ passed: true, checks: [] }).look,
      verdictWords({ passed: false, checks: [] }).look,
    ]).toEqual(['plain', 'good', 'warn']);
  });

  it('names its checks and figures', () => {
    expect([checkName('held_loss'), checkName('of_next_year')]).toEqual(['Loss on held-out examples', 'of next year']);
    expect([checkWords({ passed: null }).text, checkWords({ passed: false }).text]).toEqual(['Not made', 'Not passed']);
    expect([
      checkFigure('held_loss', 1.28349),
      checkFigure('degenerate', 3),
      checkFigure('keep_set', 0.787),
      checkFigure('x', null),
    ]).toEqual(['1.283', '3', '78 %', '–']);
  });
});

describe('an import', () => {
  it('takes its name from the file', () => {
    expect(['support-v2-peft.tar', 'My LoRA.gguf', 'adapter_model.bin', '.tar'].map(adapterNameFrom)).toEqual([
      ...['support', 'my-lora', 'adapter_model.bin', ''],
    ]);
  });

  it('says what it waits for, or why it failed', () => {
    const text = (state: 'waiting' | 'checking' | 'failed' | 'cancelled', detail: string | null): string => importText({ state, detail });
    expect([
      text('waiting', 'No worker has the base.'),
      text('checking', null),
      text('failed', 'Pickled.'),
      text('cancelled', null),
    ]).toEqual([...['No worker has the base.', 'A training worker checks it on its base.', 'Pickled.', 'The upload was cancelled.']]);
  });
});

it('an adapter that waits for an evaluation is deployed without a reason', () => {
  const suite = (passed: boolean | null) => ({ check: 'suite', passed, base: null, adapter: null, bound: null, examples: 0, detail: '' });
  const waiting = { passed: false, checks: [{ ...suite(true), check: 'held_loss' }, suite(null)] };
  expect([needsReason(waiting), verdictWords(waiting).text]).toEqual([false, 'Waits for an evaluation']);
  const failed = { passed: false, checks: [suite(null), suite(false)] };
  expect([needsReason(failed), verdictWords(failed).text]).toEqual([true, 'Not passed']);
  expect([needsReason(null), needsReason({ passed: false, checks: [] })]).toEqual([false, true]);
});
