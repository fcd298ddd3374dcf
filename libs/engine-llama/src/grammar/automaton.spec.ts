import { describe, expect, it } from 'vitest';
import { type Automaton, allOf, lengthsOf, ofLength } from './automaton.js';
import { patternAutomaton } from './automaton-builder.js';

function accepts({ states }: Automaton, text: string): boolean {
  let at = states.length > 0 ? 0 : -1;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    at = states[at]?.steps.find(({ set }) => set.some(([from, to]) => code >= from && code <= to))?.to ?? -1;
  }
  return states[at]?.accepts === true;
}

const TEXTS = [
  '',
  'a',
  'ab',
  'aab',
  'abc',
  'b',
  '.a@b.co',
  'a..b@c.de',
  'a.b@c.de',
  'x+1@sub.host.org',
  '-',
  '+.',
  '1',
  '-1.50',
  '00.1',
  '1e5',
  'ac',
  'foo',
  'foobar',
  'é😀',
  'aaaaaaaaaa',
];

describe('regexAutomaton', () => {
  it.each([
    '^a*b$',
    'a|^b$',
    '^(a|ab)(c|bcd)?$',
    '^(?!^[-+.]*$)[+-]?0*\\d*\\.?\\d*$',
    "^(?!\\.)(?!.*\\.\\.)([A-Za-z0-9_'+\\-\\.]*)[A-Za-z0-9_+-]@([A-Za-z0-9][A-Za-z0-9\\-]*\\.)+[A-Za-z]{2,}$",
    '^(?=.*\\d)(?=.*[+-]).+$',
    '^a(?!b)',
    'foo(?=bar|$)',
    '^[^a]{2}$',
    '',
  ])('accepts the same texts as JavaScript: %s', (pattern) => {
    const machine = patternAutomaton(pattern)!;
    for (const text of TEXTS) expect([text, accepts(machine, text)]).toEqual([text, new RegExp(pattern, 'u').test(text)]);
  });

  it('knows and restricts the lengths of texts', () => {
    expect(lengthsOf(patternAutomaton('^\\d{3}-\\d{4}$')!)).toEqual({ shortest: 8, longest: 8 });
    expect(lengthsOf(patternAutomaton('^ab+$')!)).toEqual({ shortest: 2, longest: null });
    const short = allOf([patternAutomaton('^ab+$'), ofLength([[0, 0x10ffff]], 3, 4)])!;
    expect(['ab', 'abb', 'abbb', 'abbbb'].map((text) => accepts(short, text))).toEqual([false, true, true, false]);
  });

  it('is null if too large', () => {
    expect(patternAutomaton('^a{100000}$')).toBeNull();
    expect(patternAutomaton(`^(a|b)*a(a|b){14}$`)).toBeNull();
    expect(patternAutomaton('^(?!a)a$')!.states).toEqual([]);
  });
});
