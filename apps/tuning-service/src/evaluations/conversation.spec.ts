import { describe, expect, it } from 'vitest';
import { conversationOf, promptText, spokenText } from './conversation.js';

const user = { role: 'user', content: 'Time in Oslo?' };
const call = { type: 'function', function: { name: 'time', arguments: { city: 'Oslo' } } };

describe('a conversation of an example', () => {
  it('asks all before the last answer, which is the reference', () => {
    const example = { messages: [{ role: 'system', content: 'Be brief.' }, user, { role: 'assistant', content: '14:00' }] };
    const conversation = conversationOf(JSON.stringify(example))!;
    expect(conversation.request).toEqual({ messages: [{ role: 'system', content: 'Be brief.' }, user] });
    expect(conversation.reference).toEqual({ text: '14:00', calls: [] });
    expect(promptText(conversation)).toBe('system: Be brief.\n\nuser: Time in Oslo?');
  });

  it('gives calls without ids the ids that the contract wants', () => {
    const messages = [
      ...[user, { role: 'assistant', content: '', tool_calls: [call, call] }],
      ...[
        { role: 'tool', content: '1' },
        { role: 'tool', content: '2' },
      ],
      { role: 'assistant', content: '', tool_calls: [call] },
    ];
    const { request, reference } = conversationOf(JSON.stringify({ tools: [{ type: 'function' }], messages }))!;
    expect(request.tools).toHaveLength(1);
    expect(request.messages).toMatchObject([
      {},
      { tool_calls: [{ id: 'call_1', function: { arguments: '{"city":"Oslo"}' } }, { id: 'call_2' }] },
      { tool_call_id: 'call_1' },
      { tool_call_id: 'call_2' },
    ]);
    expect(reference.calls).toEqual([{ name: 'time', arguments: '{"city":"Oslo"}' }]);
    expect(spokenText(reference)).toBe('time({"city":"Oslo"})');
  });

  it('takes the chosen answer of a preference', () => {
    const example = { prompt: [user], chosen: [{ role: 'assistant', content: 'yes' }], rejected: [{ role: 'assistant', content: 'no' }] };
    expect(conversationOf(JSON.stringify(example))?.reference.text).toBe('yes');
  });

  it('is none where nothing is asked', () => {
    expect(conversationOf(JSON.stringify({ messages: [{ role: 'assistant', content: 'Hello' }] }))).toBeNull();
  });
});
