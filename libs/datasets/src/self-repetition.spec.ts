import { describe, expect, it } from 'vitest';
import { repeatsItself, textRepeatsItself } from './self-repetition.js';

describe('repeatsItself', () => {
  it.each([
    ['one token four times', [1, 7, 7, 7, 7], true],
    ['one token three times', [1, 7, 7, 7, 2], false],
    ['a group of three, four times', [9, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3], true],
    ['a group of three, three times', [1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2], false],
    ['a group of eight, four times', Array.from({ length: 32 }, (_, i) => i % 8), true],
    ['a group of nine', Array.from({ length: 45 }, (_, i) => i % 9), false],
    ['the same again with something between', [7, 7, 1, 7, 7, 2, 7, 7, 3, 7, 7], false],
    ['nothing', [], false],
  ])('%s: %#', (_, tokens, repeats) => {
    expect(repeatsItself(tokens)).toBe(repeats);
  });
});

describe('a text that repeats itself', () => {
  it.each([
    'Paris is codedededed',
    'I do not know. I do not know. I do not know. I do not know.',
    'yes yes yes yes',
    'It said the answer is the answer is the answer is the answer is',
  ])('is found: %s', (text) => {
    expect(textRepeatsItself(text)).toBe(true);
  });

  it.each([
    'The release codename is Blue Heron.',
    '| --- | --- | --- | --- | --- |',
    '----------------',
    '1000000000000',
    'no, no, no',
    'aaaaargh',
    '',
  ])('is not found in: %s', (text) => {
    expect(textRepeatsItself(text)).toBe(false);
  });
});
