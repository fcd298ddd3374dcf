import { describe, expect, it } from 'vitest';
import { FOUND, JsonScan } from './scan.js';
import { parseExactly } from './exact-parser.js';

const scan = (text: string): number => {
  const bytes = Buffer.from(text);
  return new JsonScan(64).scan(bytes, 0, bytes.length);
};

describe('parseExactly', () => {
  it.each([
    ['', 'the end of the line where a value should be', 0],
    ['{"a":1', 'the end of the line where "," or "}" should be', 6],
    ['{"a":1,}', '"}" where a name in quotes should be', 7],
    ["{'a':1}", '"\'" where a name in quotes should be', 1],
    ['{"a" 1}', '"1" where ":" should be', 5],
    ['[1 2]', '"2" where "," or "]" should be', 3],
    ['{"a":tru}', '"t" where a value should be', 5],
    ['{"a":NaN}', '"N" where a value should be', 5],
    ['{"a":"x', 'a text without its closing quote', 5],
    ['{"a":"\u0001"}', 'the character U+0001 inside a text, which must be written as an escape', 6],
    ['{"a":"\\x"}', 'an unknown escape', 6],
    ['{"a":"\\u12g4"}', 'an unknown escape', 6],
    ['{} {}', '"{" after the end of the value', 3],
    ['{"a":01}', '"1" where "," or "}" should be', 6],
  ])('says what is wrong with %j and where', (text, what, at) => {
    expect(parseExactly(text, 64)).toEqual({ rule: 'not_json', what, at });
  });

  it('reads what JSON.parse reads', () => {
    const text = ' { "a" : [ 1 , -2.5 , true , false , null , "\\u00e9\\n\\"\\/ 😀" ] , "b" : { } , "__proto__" : 3 } ';
    const parsed = parseExactly(text, 64);
    expect(parsed).toMatchObject({ value: JSON.parse(text) as unknown });
    expect('texts' in parsed && parsed.texts.size).toBe(0);
  });

  it('keeps the texts of numbers and the order of keys', () => {
    const parsed = parseExactly('{"b":{"x":1.0,"n":12345678901234567890},"c":[1e3,{"2":1,"1":2}],"d":0.5}', 64);
    if (!('value' in parsed)) throw new Error('refused');
    const value = parsed.value as { b: object; c: object };
    expect(parsed.texts.get(value.b)).toBe('{"x":1.0,"n":12345678901234567890}');
    expect(parsed.texts.get(value.c)).toBe('[1e3,{"2":1,"1":2}]');
  });

  it('finds keys that repeat, by escapes too', () => {
    expect(parseExactly('{"a":{"k":1,"\\u006b":2}}', 64)).toEqual({ rule: 'duplicate_key', what: 'k', at: 12 });
  });

  it('refuses nesting beyond the bound', () => {
    expect(parseExactly('['.repeat(64) + ']'.repeat(64), 64)).toHaveProperty('value');
    expect(parseExactly('['.repeat(65) + ']'.repeat(65), 64)).toMatchObject({ rule: 'too_deep' });
  });
});

describe('JsonScan', () => {
  it.each(['{"a":1,"b":[{"a":2},{"a":-3}],"c":0.5}', '{"a":"1.0 \\" { [ : a","b":123456789012345}', '{}', '[]'])(
    'finds nothing unfaithful in %s',
    (text) => {
      expect(scan(text) & (FOUND.unfaithful | FOUND.tooDeep)).toBe(0);
    },
  );

  it.each([
    '{"a":1,"a":2}',
    '{"b":[{}],"a":{"a":1},"b":1}',
    '{"a":1.0}',
    '{"a":1e3}',
    '{"a":-0}',
    '{"a":9007199254740993}',
    '{"1":2}',
    '{"\\u0061":1}',
  ])('finds what JSON.parse would not keep in %s', (text) => {
    expect(scan(text) & FOUND.unfaithful).toBe(FOUND.unfaithful);
  });

  it('finds repeated keys among thousands', () => {
    const text = `{${Array.from({ length: 5_000 }, (_, i) => `"k${i}":1`).join(',')}}`;
    expect(scan(text) & FOUND.unfaithful).toBe(FOUND.unfaithful);
    expect(parseExactly(text, 64)).toHaveProperty('value');
  });

  it('marks escapes, hidden characters and bytes beyond ASCII', () => {
    expect(scan('{"a":"x\\ny"}')).toBe(FOUND.escape);
    expect(scan('{"a":"\\u0041"}')).toBe(FOUND.escape | FOUND.hidden);
    expect(scan('{"a":"é"}')).toBe(FOUND.nonAscii);
    expect(scan('{"a":"\u007f"}')).toBe(FOUND.nonAscii);
    expect(scan('['.repeat(65)) & FOUND.tooDeep).toBe(FOUND.tooDeep);
  });

  it('marks what may be a credential', () => {
    expect(scan('{"a":"my sk-1"}')).toBe(FOUND.secret);
    for (const text of ['svc_dep_', '-----BEGIN', 'AKIA', 'AIza', 'ghp_', 'hf_', 'xoxb-', 'sk_live_', 'eyJ']) {
      expect(scan(`{"a":"${text}"}`)).toBe(FOUND.secret);
    }
    expect(scan('{"a":"- I think so—well-known"}') & FOUND.secret).toBe(0);
  });

  it('ends on what is no JSON', () => {
    for (const text of ['"', '"\\', '{"a', '}}}]]', '{"a":"x\\', '-', '1'.repeat(100_000)]) expect(scan(text)).toBeGreaterThanOrEqual(0);
  });
});
