import { describe, expect, it } from 'vitest';
import { EchoStripper } from './choice-relay.js';

const strip = (echo: string, ...pieces: string[]): string => {
  const stripper = new EchoStripper(echo);
  return pieces.map((piece) => stripper.push(piece)).join('') + stripper.flush();
};

describe('EchoStripper', () => {
  it.each([
    ['a repetition with the first new word', 'I am the', ['I am the tiny', ' model'], ' tiny model'],
    ['a repetition in pieces', 'I am the', ['I', ' am', ' the', ' tiny'], ' tiny'],
    ['a repetition and nothing more', 'I am', ['I am'], ''],
    ['only the first of two repetitions', 'ha', ['haha'], 'ha'],
  ])('drops %s', (_name, echo, pieces, rest) => {
    expect(strip(echo, ...pieces)).toBe(rest);
  });

  it.each([
    ['no repetition', 'I am', [' tiny']],
    ['one that turns out to be none', 'I am the', ['I am', ' not']],
    ['one that breaks off', 'I am the', ['I a']],
    ['nothing to repeat', '', ['I am']],
  ])('keeps an answer with %s', (_name, echo, pieces) => {
    expect(strip(echo, ...pieces)).toBe(pieces.join(''));
  });
});
