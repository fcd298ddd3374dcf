import { isServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { GbnfReader } from './gbnf-reader.js';
import { GrammarWalk } from './grammar-walk.js';
import { choiceGrammar, outputGrammar, regexGrammar } from './output-grammar.js';

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
  ])('is matched by the whole text: %s', (pattern, taken, refused) => {
    const walk = walkOf(regexGrammar(pattern));
    for (const text of taken) expect(walk.accepts(text), text).toBe(true);
    for (const text of refused) expect(walk.accepts(text), text).toBe(false);
  });

  it.each([
    ['(?=a)b', 'looking ahead'],
    ['(?<!a)b', 'looking ahead or behind'],
    ['(a)\\1', '"\\1"'],
    ['\\bword\\b', '"\\b"'],
    ['\\p{L}', '"\\p"'],
    ['a$b', '"b" behind "$"'],
    ['(^a)', '"^" that is not at the beginning'],
    ['a{2000000000}', 'a count above 1000000000'],
    ['x'.repeat(5_000), 'more than 4096 characters'],
    [`${'('.repeat(100)}a${')'.repeat(100)}`, 'more than 64 groups'],
  ])('is refused by name when it is more than we read: %s', (pattern, reason) => {
    expect(() => regexGrammar(pattern)).toThrow(
      expect.objectContaining({ code: 'unsupported_value', message: expect.stringContaining(reason) }),
    );
  });

  it('is refused when it is none', () => {
    expect(() => regexGrammar('(')).toThrow(expect.objectContaining({ code: 'invalid_value' }));
    expect(() => regexGrammar('[^\\s\\S]')).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });
});

describe('the form of an answer', () => {
  it('is one of the given strings', () => {
    const walk = walkOf(choiceGrammar(['yes', 'no "really"', 'new\nline', '日本']));
    for (const text of ['yes', 'no "really"', 'new\nline', '日本']) expect(walk.accepts(text)).toBe(true);
    expect(walk.accepts('y')).toBe(false);
    expect(() => choiceGrammar(['ok', '\ud800'])).toThrow(expect.objectContaining({ code: 'invalid_value' }));
  });

  it('is some JSON object of compact form', () => {
    const walk = walkOf(outputGrammar({ kind: 'json_object' }));
    for (const text of ['{}', '{"a":[1,-2.5e3,null],"b":{"c": "\\u00e9\\ud83d\\ude00"}}', '{"a": 1, "b": true}']) {
      expect(walk.accepts(text), text).toBe(true);
    }
    for (const text of ['[]', '{"a":\n1}', '{"a":1,}', '{"a":01}', '{"a":"\\ud83d"}', '{"a":1e400}', '{  }']) {
      expect(walk.accepts(text), text).toBe(false);
    }
  });

  it('is refused without the name of a field, which only the caller knows', () => {
    const errors = [
      () => outputGrammar({ kind: 'grammar', grammar: 'x' }),
      () => outputGrammar({ kind: 'regex', pattern: '(?=x)' }),
      () => outputGrammar({ kind: 'json_schema', schema: { not: {} } }),
    ].map((make) => {
      try {
        return make();
      } catch (error) {
        return isServiceError(error) ? error.param : error;
      }
    });
    expect(errors).toEqual([undefined, undefined, undefined]);
  });
});
