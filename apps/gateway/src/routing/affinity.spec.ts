import type { CanonicalRequest } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { affinityOf, isInShare } from './choose-worker.js';

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

describe('the share of a canary', () => {
  const all = Array.from({ length: 4_000 }, (_, i) => conversation(['user', `conversation ${i}`]));
  const inShare = (percent: number, seed = 7): CanonicalRequest[] => all.filter((one) => isInShare(one, { percent, seed }));

  it('has about its part of the conversations', () => {
    for (const percent of [5, 25, 50, 90]) expect(inShare(percent).length / all.length).toBeCloseTo(percent / 100, 1);
    expect([inShare(0).length, inShare(100).length]).toEqual([0, all.length]);
  });

  it('keeps its conversations when it rises', () => {
    const more = new Set(inShare(26));
    expect(inShare(25).filter((one) => !more.has(one))).toEqual([]);
    expect(more.size).toBeGreaterThan(inShare(25).length);
  });

  it('is another one for another seed', () => {
    const other = new Set(inShare(25, 8));
    expect(inShare(25).filter((one) => other.has(one)).length).toBeLessThan(inShare(25).length / 2);
  });
});
