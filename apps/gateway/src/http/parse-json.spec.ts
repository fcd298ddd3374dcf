import { describe, expect, it } from 'vitest';
import { parseBody } from './json-guard.js';

const parse = (text: string | Uint8Array) => parseBody(typeof text === 'string' ? Buffer.from(text) : text);
const withKeys = (count: number): string => `{${Array.from({ length: count }, (_, i) => `"k${i}":{"a":":"}`).join()}}`;
const nested = (levels: number): string => `{"a":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

describe('a request body', () => {
  it.each([
    ['{}', {}],
    [' {"a": [1, 2.5e3, -0.1, true, false, null, "x"]} \n', { a: [1, 2500, -0.1, true, false, null, 'x'] }],
    ['{"text":"\\ud83d\\ude00 \\u0000 \\" \\\\"}', { text: '😀 \u0000 " \\' }],
    ['{"text":"model\\":1,\\"model"}', { text: 'model":1,"model' }],
    ['{"messages":[{"model":1},{"model":2}],"model":"m"}', { messages: [{ model: 1 }, { model: 2 }], model: 'm' }],
    ['{"top_p":1,"top_p":0.5}', { top_p: 0.5 }],
    ['{"a":"model","b":"model"}', { a: 'model', b: 'model' }],
  ])('of %s is a JSON object', (text, value) => {
    expect(parse(text)).toEqual({ value });
  });

  it.each([
    ['nothing', '', 'invalid_json'],
    ['half an object', '{', 'invalid_json'],
    ['an array', '[]', 'invalid_json'],
    ['a string', '"{}"', 'invalid_json'],
    ['null', 'null', 'invalid_json'],
    ['a byte order mark', '\ufeff{}', 'invalid_json'],
    ['text after the object', '{} {}', 'invalid_json'],
    ['NaN', '{"t":NaN}', 'invalid_json'],
    ['single quotes', "{'a':1}", 'invalid_json'],
    ['a comment', '{/* */}', 'invalid_json'],
    ['an open string', '{"a":"', 'invalid_json'],
    ['an open escape', '{"a":"\\', 'invalid_json'],
    ['two models', '{"model":"a","messages":[],"model":"b"}', 'invalid_json'],
    ['two models, one of them escaped', '{"model":"a","\\u006dodel":"b"}', 'invalid_json'],
    ['two token limits', '{"max_tokens":1,"max_tokens" : 2}', 'invalid_json'],
    ['__proto__', '{"a":{"__proto__":{"x":1}}}', 'invalid_json'],
    ['__proto__, escaped', '{"\\u005f_proto__":1}', 'invalid_json'],
    ['constructor', '{"constructor":1}', 'invalid_json'],
    ['a lone high surrogate', '{"a":["\\ud800"]}', 'invalid_unicode'],
    ['a lone low surrogate in a key', '{"\\udc00":1}', 'invalid_unicode'],
    ['a number beyond all', '{"a":1e400}', 'invalid_value'],
    ['a number of 400 digits', `{"a":${'9'.repeat(400)}}`, 'invalid_value'],
    ['65 levels', nested(65), 'json_too_deep'],
    ['2,049 keys in one object', withKeys(2_049), 'invalid_json'],
    ['2,049 keys in one object further down', `{"a":[{},${withKeys(2_049)}]}`, 'invalid_json'],
    ['2,049 times the same key', `{${'"a":1,'.repeat(2_048)}"a":1}`, 'invalid_json'],
    ['a pair of surrogates the wrong way round', '{"a":"\\ude00\\ud83d"}', 'invalid_unicode'],
    ['a high surrogate before another escape', '{"a":"\\ud83d\\u0041"}', 'invalid_unicode'],
    ['two high surrogates and a low one', '{"a":"\\ud83d\\ud83d\\ude00"}', 'invalid_unicode'],
    ['a high surrogate in capitals', '{"a":"\\uDBFF"}', 'invalid_unicode'],
    ['a number of 309 digits that is too large', `{"a":-1${'0'.repeat(309)}.5}`, 'invalid_value'],
    ['200,001 values', `{"a":[${'{},'.repeat(199_998)}{}]}`, 'invalid_json'],
    ['millions of values', `{"a":[${'1,'.repeat(2_000_000)}1]}`, 'invalid_json'],
    ['500,000 levels', '['.repeat(500_000), 'json_too_deep'],
  ])('with %s gets an error', (_, text, code) => {
    expect(parse(text)).toMatchObject({ code });
  });

  it.each([
    ['a cut character', [0x7b, 0x22, 0xc3, 0x22, 0x7d]],
    ['an over-long form', [0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x7d]],
    ['a surrogate in UTF-8', [0x22, 0xed, 0xa0, 0x80, 0x22]],
  ])('that is not UTF-8 is refused: %s', (_, bytes) => {
    expect(parse(Uint8Array.from(bytes))).toMatchObject({ code: 'invalid_utf8' });
  });

  it('may be nested 64 levels deep', () => {
    expect(parse(nested(64))).toHaveProperty('value');
  });

  it('may have 200,000 values in all', () => {
    expect(parse(`{"a":[${'{},'.repeat(199_996)}{}]}`)).toHaveProperty('value');
  });

  it('may hold every JSON escape and number form', () => {
    const strings = { a: '\u0041\\ud800 \\"', b: '😀' };
    expect(parse('{"a":"\\u0041\\\\ud800 \\\\\\"","b":"\\uD83D\\uDe00"}')).toEqual({ value: strings });
    const numbers = `{"a":[1e99,1E+308,-1e-400,0.5,-0,1${'0'.repeat(300)},1.${'3'.repeat(400)}]}`;
    expect(parse(numbers)).toEqual({ value: JSON.parse(numbers) as unknown });
    expect(parse('{"e":"1e999","1e999":1}')).toEqual({ value: { e: '1e999', '1e999': 1 } });
  });

  it('may have 2,048 keys in each object', () => {
    expect(parse(withKeys(2_048))).toHaveProperty('value');
    expect(parse(`{"a":[${Array.from({ length: 5 }, () => withKeys(2_048)).join()}]}`)).toHaveProperty('value');
  });

  it('is never quoted in its error', () => {
    for (const text of ['{"secret prompt', '{"a": secret}', '{"a":1}secret', 'secret']) {
      expect(JSON.stringify(parse(text))).not.toContain('secret');
    }
  });

  const LONG = 'lorem '.repeat(50);
  it.each([
    ['an unpaired surrogate', `{"a":"${LONG}\\ud800${LONG}"}`, 'invalid_unicode'],
    ['an escaped quote', `{"a":"${LONG}\\"${LONG}","__proto__":1}`, 'invalid_json'],
    ['an escaped backslash', `{"a":"${LONG}\\\\","__proto__":1}`, 'invalid_json'],
    ['a second model', `{"model":"${LONG}","messages":"${LONG}","model":"b"}`, 'invalid_json'],
    ['an open string', `{"a":"${LONG}`, 'invalid_json'],
    ['an open escape', `{"a":"${LONG}\\`, 'invalid_json'],
    ['a huge number', `{"a":"${LONG}","b":1e999}`, 'invalid_value'],
  ])('with %s behind a long text is refused', (_, text, code) => {
    expect(parse(text)).toMatchObject({ code });
  });

  it('may hold long texts with escapes anywhere', () => {
    for (let at = 0; at < 200; at += 1) {
      const value = { a: `${'x'.repeat(at)}\n"\\😀${'y'.repeat(200 - at)}`, constructed: [`${'z'.repeat(at)}\\`, 1] };
      expect(parse(JSON.stringify(value))).toEqual({ value });
    }
  });
});
