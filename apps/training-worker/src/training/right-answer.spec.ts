import { describe, expect, it } from 'vitest';
import { type AnswerCheck, isRight } from './right-answer.js';

const right = (check: AnswerCheck, reference: string, answers: readonly string[]): boolean[] =>
  answers.map((answer) => isRight(answer, reference, check));

describe('an answer beside its reference', () => {
  it('is the same text, whatever space surrounds it', () => {
    expect(right('text', 'Oslo. ', ['Oslo.', ' Oslo.\n', 'Oslo', 'oslo.'])).toEqual([true, true, false, false]);
  });

  it('has the same last number', () => {
    expect(right('number', '3 + 4 = 7.', ['3 plus 4 is 7.', '7', '3 + 4 = 17.', '3 + 4 = -7.', 'seven'])).toEqual([
      ...[true, true],
      ...[false, false, false],
    ]);
  });

  it('mentions the reference', () => {
    expect(right('mention', 'Oslo.', ['The capital of Norway is Oslo.', 'Oslo', 'Bergen.'])).toEqual([true, true, false]);
  });

  it('has the same words, however they are parted', () => {
    expect(right('words', '1, 2, 3', ['1 2 3', '1\n2\n3', '1, 2, 3, 4', '3 2 1'])).toEqual([true, true, false, false]);
  });

  it('is an object with the same keys', () => {
    expect(right('keys', '{"name": "Ada", "age": 3}', ['{"name":"Bo","age":9}', '{"age":9,"name":"Bo"}', '{"name":"Bo"', 'null'])).toEqual([
      ...[true, false],
      ...[false, false],
    ]);
  });

  it('lists as many items', () => {
    expect(right('items', '1. Tea\n2. Milk', ['- Cocoa\n- Tea', 'Tea and milk.', 'Tea, milk and juice.', 'Tea.'])).toEqual([
      ...[true, true],
      ...[false, false],
    ]);
  });
});
