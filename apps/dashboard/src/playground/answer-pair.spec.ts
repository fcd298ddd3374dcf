import { describe, expect, it } from 'vitest';
import { playgroundExample } from '../data-sets/example-text.js';
import { type ComparedTurn, pairOf } from './answer-pair.js';

const turn = (question: string, answer: string, status = 'done', system?: string): ComparedTurn => ({
  ask: { question: { text: question }, wishes: { system } },
  exchange: { status, answer: { text: answer } },
});

describe('pairOf', () => {
  it('puts the better answer first', () => {
    const turns = [turn('Why?', 'Because.', 'done', 'Be brief.'), turn('Why?', 'No idea.', 'done', 'Be brief.')] as const;
    const texts = { system: 'Be brief.', user: 'Why?' };
    expect(pairOf(...turns, 'first')).toEqual({ ...texts, assistant: 'Because.', rejected: 'No idea.' });
    expect(pairOf(...turns, 'second')).toEqual({ ...texts, assistant: 'No idea.', rejected: 'Because.' });
  });

  it.each([
    ['an answer that runs', turn('Why?', 'Because.', 'running')],
    ['an answer to another question', turn('How?', 'Because.')],
    ['an answer under another system prompt', turn('Why?', 'Because.', 'done', 'Be brief.')],
    ['the same answer', turn('Why?', 'No idea.')],
    ['no text', turn('Why?', '')],
    ['no second conversation', undefined],
  ])('makes none of %s', (_, first) => {
    expect(pairOf(first, turn('Why?', 'No idea.'), 'first')).toBe(null);
  });
});

it('a pair becomes an example of a preference data set', () => {
  const pair = pairOf(turn('Why?', 'Because.'), turn('Why?', 'No idea.'), 'first')!;
  expect(playgroundExample(pair)).toEqual({
    prompt: [{ role: 'user', content: 'Why?' }],
    chosen: [{ role: 'assistant', content: 'Because.' }],
    rejected: [{ role: 'assistant', content: 'No idea.' }],
  });
});
