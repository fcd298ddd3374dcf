import { isServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from './gbnf-reader.js';
import { GrammarWalk } from './grammar-walk.js';
import { outputRules } from './output-grammar.js';

const regexGrammar = (pattern: string): string => outputRules({ kind: 'regex', pattern }, '').rules;
const choiceGrammar = (options: string[]): string => outputRules({ kind: 'choice', options }, '').rules;

const walkOf = (grammar: string): GrammarWalk => new GrammarWalk(new GbnfReader(grammar).read(), 'root');

describe('a regular expression', () => {
  it.each([
    ['yes|no', ['yes', 'no'], ['yesno', 'ye', '']],
    ['^\\d{3}-\\d{4}$', ['555-1234'], ['555-123', 'x555-1234']],
    ['(a|b)*c+?', ['c', 'ababcc'], ['ab']],
    ['(?:a?b?){0,2}', ['', 'ab', 'abab', 'ba'], ['ababab', 'c']],
    ['(?<year>\\d{4})', ['2024'], ['24']],
    ['[^a-c\\d]', ['d', '"', '\n'], ['a', '5']],
    ['[\\w.-]+@\\S+\\.com', ['a.b-c@x.com'], ['a b@x.com']],
    ['.', ['x', '😀'], ['\n', '']],
    ['\\u00e9\\x41\\u{1F600}', ['éA😀'], ['é']],
    ['a{70,130}', ['a'.repeat(70), 'a'.repeat(100), 'a'.repeat(130)], ['a'.repeat(69), 'a'.repeat(131)]],
    ['a{100,}', ['a'.repeat(100), 'a'.repeat(500)], ['a'.repeat(99)]],
    ['[\\]\\\\^-]', [']', '\\', '^', '-'], ['[']],
    ['\\ud83d\\ude00', ['😀'], ['']],
    ['\\-😀+[^😂]\\u{e9}', ['-😀😀aé'], ['-😀😂é', '-😀ae9']],
    ['\\-[\\d-x]\\01', ['-5\u0001', '--\u0001', '-x\u0001'], ['-a\u0001', '-5\u00001']],
  ])('matches the whole text: %s', (pattern, taken, refused) => {
    const walk = walkOf(regexGrammar(pattern));
    for (const text of taken) expect(walk.accepts(text), text).toBe(true);
    for (const text of refused) expect(walk.accepts(text), text).toBe(false);
  });

  it.each([
    ['(?=a)b', 'lookahead'],
    ['(?<!a)b', 'looking behind'],
    ['(a(?=b))', 'looking ahead inside of a group'],
    ['(?=a)*', 'looking ahead inside of a group or with a count'],
    ['(a$)', '"$" inside of a group'],
    ['(a)\\1', '"\\1"'],
    ['\\bword\\b', '"\\b"'],
    ['\\p{L}', '"\\p"'],
    ['a$b', '"b" behind "$"'],
    ['(^a)', '"^" that is not at the beginning'],
    ['\\-\\x4', '"\\x" without its digits'],
    ['\\ud83d', 'halves of surrogate pairs'],
    ['(?i)ä', 'letters beyond ASCII whose case is ignored'],
    ['a{2000000000}', 'a count above 1000000000'],
    ['x'.repeat(5_000), 'more than 4096 characters'],
    [`${'('.repeat(100)}a${')'.repeat(100)}`, 'more than 64 groups'],
  ])('is refused naming the construct: %s', (pattern, reason) => {
    expect(() => regexGrammar(pattern)).toThrow(
      expect.objectContaining({ code: 'unsupported_value', message: expect.stringContaining(reason) }),
    );
  });

  it('is refused within a second', () => {
    const begun = performance.now();
    for (const hostile of [
      `${'('.repeat(100_000)}${')'.repeat(100_000)}`,
      '('.repeat(100_000),
      `${'(?='.repeat(1_300)}${')'.repeat(1_300)}`,
      '['.repeat(4_096),
      '(a|b)\\9'.repeat(580),
      `\\-${'(?<n>'.repeat(60)}${')'.repeat(60)}${'\\k<n>'.repeat(700)}`,
    ]) {
      const outcome = expect.objectContaining({ code: expect.stringMatching(/^(unsupported|invalid)_value$/) });
      expect(() => regexGrammar(hostile), hostile.slice(0, 20)).toThrow(outcome);
    }
    expect(performance.now() - begun).toBeLessThan(1_000);
  });

  it('is refused when invalid', () => {
    expect(() => regexGrammar('(')).toThrow(expect.objectContaining({ code: 'invalid_value' }));
    expect(() => regexGrammar('[^\\s\\S]')).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });
});

describe('outputRules', () => {
  it('makes a choice of strings', () => {
    const walk = walkOf(choiceGrammar(['yes', 'no "really"', 'new\nline', '日本']));
    for (const text of ['yes', 'no "really"', 'new\nline', '日本']) expect(walk.accepts(text)).toBe(true);
    expect(walk.accepts('y')).toBe(false);
    const texts = [
      '',
      'a',
      'ab',
      'abc',
      'abd',
      'b',
      'bcd',
      '😀x',
      '😀y',
      '😁',
      'a'.repeat(300),
      ...Array.from({ length: 2_000 }, (_, i) => `number ${i}`),
    ];
    const many = walkOf(choiceGrammar(texts));
    for (const text of texts) expect(many.accepts(text), text).toBe(true);
    for (const text of ['abce', '\ud83d', 'number', 'number 2000', 'bc', 'aa']) expect(many.accepts(text), text).toBe(false);
    // llama.cpp would follow each string for each token of its vocabulary.
    expect(many.start().size).toBeLessThan(10);
    expect(() => choiceGrammar(['ok', '\ud800'])).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });

  it('makes any compact JSON object', () => {
    const walk = walkOf(outputRules({ kind: 'json_object' }, '').rules);
    for (const text of ['{}', '{"a":[1,-2.5e3,null],"b":{"c": "\\u00e9\\ud83d\\ude00"}}', '{"a": 1, "b": true}']) {
      expect(walk.accepts(text), text).toBe(true);
    }
    for (const text of ['[]', '{"a":\n1}', '{"a":1,}', '{"a":01}', '{"a":"\\ud83d"}', '{"a":1e400}', '{  }']) {
      expect(walk.accepts(text), text).toBe(false);
    }
  });

  it('refuses without the name of a field', () => {
    const errors = [
      () => outputRules({ kind: 'grammar', grammar: 'x' }, ''),
      () => outputRules({ kind: 'regex', pattern: '(?=x)' }, ''),
      () => outputRules({ kind: 'json_schema', schema: { type: 5 } }, ''),
    ].map((make) => {
      try {
        return make();
      } catch (error) {
        return isServiceError(error) ? error.param : error;
      }
    });
    expect(errors).toEqual([undefined, undefined, undefined]);
  });

  it('uses names with its own prefix', () => {
    const inner = outputRules({ kind: 'grammar', grammar: 'root ::= word (" " word)*\nword ::= [a-z]+ | "-"' }, 'out-');
    const walk = walkOf(`root ::= "<" ${inner.root} ">"\nword ::= "no"\n${inner.rules}`);
    expect(walk.accepts('<some words>')).toBe(true);
    expect(walk.accepts('<No>')).toBe(false);
    for (const output of [
      { kind: 'regex', pattern: 'a{99}|b' },
      { kind: 'json_schema', schema: { items: { $ref: '#' } } },
    ] as const) {
      const { root, rules } = outputRules(output, 'x1-');
      const names = rules
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]);
      expect(names).toContain(root);
      expect(names.every((name) => name?.startsWith('x1-'))).toBe(true);
    }
  });
});
