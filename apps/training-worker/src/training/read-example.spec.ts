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
      place: expect.any(Number) as number,
    });
  });

  it('reads tools, calls and their results', () => {
    const tool = { type: 'function', function: { name: 'f', parameters: { type: 'object', properties: { x: {} } } } };
    const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: { x: 1.5 } } };
    const messages = [
      user,
      { role: 'assistant', content: '', tool_calls: [call] },
      { role: 'tool', content: 'r', tool_call_id: 'c1' },
      answer,
    ];
    const example = readExample(JSON.stringify({ tools: [tool], messages }));
    expect(example?.tools).toEqual([tool.function]);
    expect(example?.messages[1]).toMatchObject({ tool_calls: [{ id: 'c1', name: 'f', arguments: '{"x":1.5}' }] });
    expect(example?.messages[2]).toMatchObject({ role: 'tool', tool_call_id: 'c1' });
    expect(example?.learned).toEqual([false, true, false, true]);
  });

  it('marks answers with a weight of 0 as context', () => {
    expect(readExample(line(user, { ...answer, weight: 0 }, user, answer))?.learned).toEqual([false, false, false, true]);
  });

  it('learns the better answer of a preference, and keeps the worse one beside it', () => {
    const before = { role: 'assistant', content: 'before' };
    const pair = { prompt: [user, before, user], chosen: [answer], rejected: [{ ...answer, content: 'c' }] };
    const example = readExample(JSON.stringify(pair));
    expect(example?.messages.map(({ content }) => content[0])).toMatchObject([
      { text: 'a' },
      { text: 'before' },
      { text: 'a' },
      { text: 'b' },
    ]);
    expect(example?.learned).toEqual([false, false, false, true]);
    expect(example?.rejected?.messages.at(-1)).toMatchObject({ role: 'assistant', content: [{ text: 'c' }] });
    expect(example?.rejected?.learned).toEqual([false, false, false, true]);
  });

  it.each([
    ['no JSON', '{'],
    ['no conversation', '{"a":1}'],
    ['no answer', line(user, user)],
    ['no answer that is learned', line(user, { ...answer, weight: 0 })],
    ['an unknown role', line(user, { role: 'judge', content: 'x' })],
  ])('gives nothing for %s', (_, text) => {
    expect(readExample(text)).toBeNull();
  });
});
