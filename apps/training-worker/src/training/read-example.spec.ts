import { describe, expect, it } from 'vitest';
import { readExample } from './read-example.js';

const line = (...messages: object[]): string => JSON.stringify({ messages });
const user = { role: 'user', content: 'a' };
const answer = { role: 'assistant', content: 'b' };

describe('readExample', () => {
  it('reads a conversation as serving would get it', () => {
    expect(readExample(line(user, answer))).toEqual({
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'a' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'b' }] },
      ],
      tools: undefined,
      learned: [false, true],
    });
  });

  it('reads calls, with arguments as object or text', () => {
    const call = (args: unknown) => ({ id: 'c1', type: 'function', function: { name: 'f', arguments: args } });
    const calls = (args: unknown) => ({ role: 'assistant', content: '', tool_calls: [call(args)] });
    for (const args of [{ x: 1 }, '{"x":1}']) {
      const example = readExample(line(user, calls(args), { role: 'tool', content: 'r', tool_call_id: 'c1' }));
      expect(example?.messages[1]).toMatchObject({ tool_calls: [{ id: 'c1', name: 'f', arguments: '{"x":1}' }] });
    }
  });

  it('marks answers with a weight of 0 as context', () => {
    expect(readExample(line(user, { ...answer, weight: 0 }, user, answer))?.learned).toEqual([false, false, false, true]);
  });

  it.each([
    ['no JSON', '{'],
    ['no conversation', '{"a":1}'],
    ['no answer', line(user, user)],
    ['no answer that is learned', line(user, { ...answer, weight: 0 })],
    ['an unknown role', line(user, { role: 'judge', content: 'x' })],
    ['a result of no call', line(user, { role: 'tool', content: 'x' }, answer)],
  ])('gives nothing for %s', (_, text) => {
    expect(readExample(text)).toBeNull();
  });
});
