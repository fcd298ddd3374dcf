import type { CanonicalRequest } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { affinityOf } from './choose-worker.js';

type Turn = [role: 'system' | 'user' | 'assistant', text: string];
const conversation = (...turns: Turn[]): CanonicalRequest => ({
  messages: turns.map(([role, text]) => ({ role, content: [{ type: 'text', text }] })),
  sampling: {},
  stop: [],
});

describe('the affinity of a request', () => {
  const first = conversation(['system', 'Be brief.'], ['user', 'Hello']);

  it('stays the same over a conversation', () => {
    const later = conversation(['system', 'Be brief.'], ['user', 'Hello'], ['assistant', 'Hi'], ['user', 'And now?']);
    expect(affinityOf(later, undefined)).toBe(affinityOf(first, undefined));
  });

  it('differs by system message and first user message', () => {
    const others = [
      conversation(['system', 'Be long.'], ['user', 'Hello']),
      conversation(['system', 'Be brief.'], ['user', 'Bye']),
      conversation(['user', 'Be brief.Hello']),
    ];
    for (const other of others) expect(affinityOf(other, undefined)).not.toBe(affinityOf(first, undefined));
  });

  it('is the client’s own when it sends one', () => {
    expect(affinityOf(first, 'k')).toBe(affinityOf(conversation(['user', 'else']), 'k'));
    expect(affinityOf(first, 'k')).not.toBe(affinityOf(first, 'l'));
  });
});
