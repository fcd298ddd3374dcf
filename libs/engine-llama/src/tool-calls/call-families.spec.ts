import { isDeepStrictEqual } from 'node:util';
import type { Tool } from '@slipway/contracts';
import { Utf8Assembler } from '@slipway/engine';
import { describe, expect, it } from 'vitest';
import type { CallFamily } from './call-family.js';
import { CallReader } from './call-reader.js';
import { familyNamed } from './detect-family.js';
import { call, type Found, text } from './found-calls.js';
import { JSON_ANSWERS } from './json-answers.cases.js';
import { TAGGED_ANSWERS } from './tagged-answers.cases.js';

const CASES = [...JSON_ANSWERS, ...TAGGED_ANSWERS].map(
  ([title, answer, found]) => [title, familyNamed(title.split(':')[0] ?? ''), answer, found] as const,
);

const TOOLS: readonly Tool[] = [
  {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' }, tags: { type: 'array' } } },
  },
  ...['get_time', 'f', 'x', 'other'].map((name) => ({ name })),
];

/** Content that a family finds in an answer of these pieces; adjacent texts are joined. */
function read(family: CallFamily, pieces: Iterable<string>): Found[] {
  const found: Found[] = [];
  const open = (): Extract<Found, { call: string }> => {
    const last = found.at(-1);
    if (!last || !('call' in last)) throw new Error('No call is open.');
    return last;
  };
  const reader = new CallReader(
    family,
    {
      text: (text) => {
        const last = found.at(-1);
        if (last && 'text' in last) last.text += text;
        else found.push({ text });
      },
      begin: (call, id) => void found.push({ call, ...(id !== undefined && { id }), args: '', whole: false }),
      args: (piece) => void (open().args += piece),
      close: () => void (open().whole = true),
      broken: () => void found.push({ broken: true }),
    },
    TOOLS,
  );
  for (const piece of pieces) reader.push(piece);
  reader.end();
  if (reader.held !== 0) throw new Error(`${reader.held} characters are held after the end.`);
  return found;
}

describe('CallReader', () => {
  it.each(CASES)('%s', (_, family, answer, expected) => {
    expect(read(family, [answer])).toEqual(expected);
  });

  it.each(CASES)('%s, cut anywhere between two bytes', (_, family, answer, expected) => {
    const bytes = Buffer.from(answer);
    const cuts = Array.from({ length: bytes.length + 1 }, (_none, cut) => cut);
    // An expectation of each cut would take longer than reading them all.
    const misread = cuts.filter((cut) => {
      const utf8 = new Utf8Assembler();
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)].map((part) => utf8.push(part));
      return !isDeepStrictEqual(read(family, pieces), expected);
    });
    expect(misread).toEqual([]);
  });

  it.each(CASES)('%s, byte by byte', (_, family, answer, expected) => {
    const utf8 = new Utf8Assembler();
    const pieces = Array.from(Buffer.from(answer), (byte) => utf8.push(Uint8Array.of(byte)));
    expect(read(family, pieces)).toEqual(expected);
  });

  it.each(CASES.filter(([, , , expected]) => expected.some((found) => 'call' in found)))(
    'reads every prefix consistently: %s',
    (_, family, answer, expected) => {
      for (let end = 0; end < answer.length; end += 1) {
        // Engines only emit complete characters.
        if (/[\uDC00-\uDFFF]/.test(answer.charAt(end))) continue;
        const found = read(family, [answer.slice(0, end)]);
        const calls = found.filter((one) => 'call' in one);
        const wanted = expected.filter((one) => 'call' in one);
        expect(calls.length).toBeLessThanOrEqual(wanted.length);
        for (const [i, one] of calls.entries()) {
          const { args = '', call: name } = wanted[i] ?? {};
          expect([name, args.startsWith(one.args), !one.whole || one.args === args]).toEqual([one.call, true, true]);
        }
      }
    },
  );

  it('passes on a call before it is complete', () => {
    const seen: string[] = [];
    const sink = {
      text: (x: string) => void seen.push(`text ${x}`),
      begin: (name: string) => void seen.push(`begin ${name}`),
      args: (x: string) => void seen.push(`args ${x}`),
      close: () => void seen.push('close'),
      broken: () => void seen.push('broken'),
    };
    const reader = new CallReader(familyNamed('hermes'), sink, TOOLS);
    for (const piece of ['Hi', '<tool', '_call>{"name": "f", "argum', 'ents": ', '{"a"', ': 1', '}', '}</tool_call>']) reader.push(piece);
    reader.end();
    expect(seen).toEqual(['text Hi', 'begin f', 'args {"a"', 'args : 1', 'args }', 'close']);
  });

  it.each([', {"city": 1}]', ', "get_time"]', ', {"name": "get_time", "arguments": [1]}]', ', ]', ',', ' {"name": "get_time"}]'])(
    'reports %j after a call as broken',
    (rest) => {
      const found = read(familyNamed('mistral'), [`[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}}${rest}`]);
      expect(found).toEqual([call('f', '{"a": 1}'), { broken: true }]);
    },
  );

  it('keeps the calls of an unfinished list', () => {
    expect(read(familyNamed('mistral'), ['[TOOL_CALLS][{"name": "f", "arguments": {"a": 1}} '])).toEqual([call('f', '{"a": 1}')]);
  });

  it('never closes a call with invalid arguments', () => {
    expect(read(familyNamed('hermes'), ['<tool_call>{"name": "f", "arguments": [1]}</tool_call>'])).toEqual([
      text('<tool_call>{"name": "f", "arguments": [1]}</tool_call>'),
    ]);
    expect(read(familyNamed('hermes'), ['<tool_call>{"name": "f", "arguments": {"a": 1} oops'])).toEqual([
      { call: 'f', args: '{"a": 1}', whole: false },
    ]);
  });
});
