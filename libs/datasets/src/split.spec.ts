import { describe, expect, it } from 'vitest';
import type { ChatExample } from './example.js';
import { placeOf } from './hash.js';
import { PLACES, placeOfExample, SplitPlanner } from './split.js';

const places = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => placeOf(0, from + i, 7));

const plan = (version: readonly number[], learned: readonly number[] = []) => {
  const planner = new SplitPlanner(learned);
  for (const place of version) planner.add(place);
  return planner.plan();
};
const heldOf = (version: readonly number[], below: number): number[] => version.filter((place) => place < below);

const message = (role: 'system' | 'user' | 'assistant', content: string): ChatExample['messages'][number] => ({
  ...{ role, content, name: null, reasoning: null, calls: [], callId: null, learned: true },
});
const chat = (...messages: ChatExample['messages']): ChatExample => ({ kind: 'sft', messages, tools: [], parallelToolCalls: null });

describe('SplitPlanner', () => {
  it.each([
    [0, 0],
    [1, 0],
    [8, 4],
    [30, 5],
    [100, 10],
    [30_000, 500],
  ])('of %i prompts holds out %i', (count, held) => {
    const all = places(0, count);
    // Repeated prompts count once.
    expect(heldOf(all, plan([...all, ...all]).below)).toHaveLength(held);
  });

  it('holds out about a tenth of some thousands', () => {
    const all = places(0, 4_000);
    expect(heldOf(all, plan(all).below).length / all.length).toBeCloseTo(0.1, 1);
  });

  it('plans the same in any order', () => {
    const all = places(0, 2_000);
    expect(plan(all.toReversed())).toEqual(plan(all));
  });

  it('names the prompts of a small version', () => {
    expect(plan(places(0, 49)).few).toEqual(places(0, 49).toSorted((a, b) => a - b));
    expect(plan(places(0, 50)).few).toBeNull();
  });

  it('plans beside what small versions learned', () => {
    const [learned, all] = [places(0, 40), places(0, 200)];
    const { below, few } = plan(all, learned);
    expect(few).toBeNull();
    expect(heldOf(places(40, 200), below)).toHaveLength(16);
    expect(plan(places(30, 60), learned).few).toEqual(places(40, 60).toSorted((a, b) => a - b));
  });
});

describe('placeOfExample', () => {
  const place = (text: string): number => placeOfExample(chat(message('user', text), message('assistant', 'Yes.')));

  it('is one for prompts that differ in writing only', () => {
    const all = [
      'What is the codename?',
      'what is the codename',
      '  What is\nthe  codename ?! ',
      'WHAT IS THE CODENAME?',
      'What is the code​name?',
    ];
    expect(new Set(all.slice(0, 4).map(place)).size).toBe(1);
    expect(place('Ｗhat is the codename')).toBe(place(all[0]!));
    expect(place('What is the codenames?')).not.toBe(place(all[0]!));
  });

  it('is decided by the first user message alone', () => {
    const long = chat(
      message('system', 'Be brief.'),
      message('user', 'Hello'),
      message('assistant', 'Hi.'),
      message('user', 'More'),
      message('assistant', 'No.'),
    );
    expect(placeOfExample(long)).toBe(place('hello'));
  });

  it('differs for texts without letters, and at both ends of long ones', () => {
    expect(place('?!')).not.toBe(place('!?'));
    const body = 'x'.repeat(20_000);
    expect(new Set([place(`${body} a`), place(`${body} b`), place(`a ${body}`)]).size).toBe(3);
  });

  it('lies between 0 and the last place', () => {
    for (let i = 0; i < 1_000; i += 1) {
      const at = place(`question ${i}`);
      expect(at >= 0 && at < PLACES && Number.isInteger(at)).toBe(true);
    }
  });
});
