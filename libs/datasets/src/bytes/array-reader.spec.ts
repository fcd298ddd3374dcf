import { describe, expect, it } from 'vitest';
import { ArrayReader } from './array-reader.js';
import { convertArray } from './convert-array.js';

function read(text: string, size: number, bound = 1_024) {
  const elements: string[] = [];
  const reader = new ArrayReader(
    {
      line: (bytes, start, end, line) => elements.push(`${line}:${bytes.toString('utf8', start, end)}`),
      tooLong: (line) => elements.push(`${line}:too long`),
    },
    bound,
  );
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += size) reader.push(bytes.subarray(i, i + size));
  reader.end();
  return elements;
}

async function* chunks(text: string) {
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += 5) yield bytes.subarray(i, i + 5);
}

async function converted(text: string) {
  const parts: Buffer[] = [];
  for await (const part of convertArray(chunks(text), 1_024)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('ArrayReader', () => {
  const text = '\ufeff[\n  {"a": "x]},\\"[", "b": [1, {"c": 2}]},\n  {\n    "d": "é😀"\n  } , 7,"s,]",\n[1]\n]\n';

  it('gives elements with the lines on which they begin', () => {
    const whole = ['2:{"a": "x]},\\"[", "b": [1, {"c": 2}]}', '3:{\n    "d": "é😀"\n  }', '5:7', '5:"s,]"', '6:[1]'];
    expect(read(text, 1)).toEqual(whole);
    expect(read(text, 10_000)).toEqual(whole);
  });

  it('gives what is wrong between elements as a line of its own', () => {
    expect(read('[1,,2]', 9)).toEqual(['1:1', '1:,', '1:2']);
    expect(read('[1,\n{"a":', 9)).toEqual(['1:1', '2:{"a":']);
    expect(read('[1,\n', 9)).toEqual(['1:1', '2:]']);
    expect(read('[1]\n{"a":1}', 9)).toEqual(['1:1', '2:{"a":1}']);
    expect(read('[]', 9)).toEqual([]);
  });

  it('reads past elements beyond the bound', () => {
    expect(read(`[{"a":"${'x'.repeat(2_000)}"},\n{"b":1}]`, 64)).toEqual(['1:too long', '2:{"b":1}']);
  });
});

describe('convertArray', () => {
  it('writes each element on one line, byte for byte', async () => {
    expect(await converted('[{"a":"é\\n😀", "n":1.0},\r\n {\n  "b": [1,\n 2]}]')).toBe('{"a":"é\\n😀", "n":1.0}\n{   "b": [1,  2]}\n');
  });

  it('escapes line breaks inside of texts', async () => {
    expect(await converted('[{"a":"one\ntwo\\"\n"}]')).toBe('{"a":"one\\ntwo\\"\\n"}\n');
  });
});
