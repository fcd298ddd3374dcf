import { describe, expect, it } from 'vitest';
import { assistant, instruction, read, text, toolUse, user } from './request.samples.js';

const MANY = 90_000;
const times = <T>(many: number, one: (i: number) => T): T[] => Array.from({ length: many }, (_, i) => one(i));
const result = (i: number): object => ({ type: 'tool_result', tool_use_id: `c${i}`, content: 'r' });
/** The length of what the last message says. */
const lengthOf = (messages: object[]): number => {
  const part = read({ messages }).canonical.messages.at(-1)?.content[0];
  return part?.type === 'text' ? part.text.length : 0;
};

// Work that grows with the square of a request would take longer than a test may; too many arguments of one call would throw.
describe('a conversation of many parts', () => {
  it('instructions after a result are read in time', () => {
    const messages = [user('q'), assistant([toolUse('c0')]), user([result(0)]), ...times(MANY, () => instruction('s'))];
    expect(lengthOf(messages)).toBe(1 + 3 * MANY);
  });

  it('instructions after many results are read in time', () => {
    const calls = assistant(times(MANY / 3, (i) => toolUse(`c${i}`)));
    const messages = [user('q'), calls, ...times(MANY / 3, (i) => user([result(i)])), ...times(MANY / 3, () => instruction('s'))];
    expect(lengthOf(messages)).toBe(1 + MANY);
  });

  it.each<[string, (blocks: object[]) => object[]]>([
    ['blocks of a message', (blocks) => [user(blocks)]],
    ['blocks of an instruction', (blocks) => [user('a'), instruction(blocks)]],
    ['blocks of a document', (blocks) => [user([{ type: 'document', source: { type: 'content', content: blocks } }])]],
  ])('%s', (_, messagesOf) => {
    expect(lengthOf(messagesOf(times(250_000, () => text('x'))))).toBeGreaterThan(500_000);
  });

  it.each(['instructions before it', 'instructions between calls and results'])('blocks of %s are read in linear time', (where) => {
    const blocks = instruction(times(250_000, () => text('x')));
    const messages = where.includes('before')
      ? [blocks, user('a')]
      : [user('q'), assistant([toolUse('c0')]), blocks, user([result(0)]), assistant('ok'), user('go')];
    expect(read({ messages }).canonical.messages.at(-1)).toMatchObject({ role: 'user' });
  });
});
