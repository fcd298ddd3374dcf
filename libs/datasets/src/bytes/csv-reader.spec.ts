import { describe, expect, it } from 'vitest';
import { CsvReader } from './csv-reader.js';
import { LineReader } from './line-reader.js';

function read(text: string | Buffer, bound = 1_024) {
  const out: unknown[] = [];
  const csv: CsvReader = new CsvReader(
    {
      record: (fields, line) => out.push([line, ...fields]),
      broken: (what, line, column) => out.push(`${line}:${column} ${what}`),
      tooLong: (line) => out.push(`${line} too long`),
      notUtf8: (_bytes, _start, _end, line) => out.push(`${line} not UTF-8`),
    },
    bound,
    () => lines.crlf,
  );
  const lines = new LineReader(csv, bound);
  const bytes = Buffer.from(text);
  for (let i = 0; i < bytes.length; i += 3) lines.push(bytes.subarray(i, i + 3));
  lines.end();
  csv.end();
  return out;
}

describe('CsvReader', () => {
  it('reads quotes, delimiters and line breaks inside of fields', () => {
    expect(read('a,b\r\n"x, ""y""","one\r\ntwo\n\nthree"\r\n\r\n3,\n')).toEqual([
      [1, 'a', 'b'],
      [2, 'x, "y"', 'one\r\ntwo\n\nthree'],
      [7, '3', ''],
    ]);
  });

  it.each([';', '\t'])('finds the delimiter %j from the first line', (d) => {
    expect(read(`prompt${d}"completion, long"\n"a${d}b"${d}c,d`)).toEqual([
      [1, 'prompt', 'completion, long'],
      [2, `a${d}b`, 'c,d'],
    ]);
  });

  it('names a quote that is not closed, by its own line', () => {
    expect(read('a,b\n1,2\n3,"open\nnever')).toEqual([[1, 'a', 'b'], [2, '1', '2'], '3:3 a quote that is never closed']);
  });

  it('names text after a closing quote and reads on', () => {
    expect(read('a,b\n"x"y,2\n3,4')).toEqual([[1, 'a', 'b'], '2:4 text after a closing quote', [3, '3', '4']]);
  });

  it('keeps bare quotes inside of fields without quotes', () => {
    expect(read('a,b\n5" nail,"7"""')).toEqual([
      [1, 'a', 'b'],
      [2, '5" nail', '7"'],
    ]);
  });

  it('bounds records, not lines alone', () => {
    expect(read(`a,b\n"${'x\n'.repeat(50)}",2\n`, 64)[1]).toBe('2 too long');
    expect(read(`a,b\n${'y'.repeat(70)},2\n3,4`, 64)).toEqual([[1, 'a', 'b'], '2 too long', [3, '3', '4']]);
  });

  it('refuses bytes that are not UTF-8, and keeps U+FFFD', () => {
    expect(read(Buffer.concat([Buffer.from('a,b\n1,'), Buffer.from([0xff]), Buffer.from('\n\ufffd,2')]))).toEqual([
      [1, 'a', 'b'],
      '2 not UTF-8',
      [3, '\ufffd', '2'],
    ]);
  });
});
