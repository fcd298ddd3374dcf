import { describe, expect, it } from 'vitest';
import { LineReader } from './line-reader.js';

function read(chunks: (string | Buffer)[], bound = 1_024) {
  const lines: string[] = [];
  const reader: LineReader = new LineReader(
    {
      line: (bytes, start, end, line) => lines.push(`${line}:${bytes.toString('utf8', start, end)}${reader.crlf ? '↵' : ''}`),
      tooLong: (line) => lines.push(`${line}:too long`),
    },
    bound,
  );
  for (const chunk of chunks) reader.push(Buffer.from(chunk));
  reader.end();
  return { lines, reader };
}

describe('LineReader', () => {
  it('numbers lines whatever their chunks are', () => {
    const text = 'one\n\nthree\r\nfour';
    const whole = read([text]).lines;
    expect(whole).toEqual(['1:one', '2:', '3:three↵', '4:four']);
    expect(read(text.split('')).lines).toEqual(whole);
  });

  it('gives no line after a last newline', () => {
    expect(read(['a\n']).lines).toEqual(['1:a']);
    expect(read([]).lines).toEqual([]);
  });

  it('leaves out a byte order mark at the start alone', () => {
    const { lines, reader } = read([Buffer.from([0xef]), Buffer.from([0xbb, 0xbf, 0x61, 0x0a]), '\ufeffb']);
    expect(lines).toEqual(['1:a', '2:\ufeffb']);
    expect(reader.bom).toBe(true);
  });

  it('takes a line of the bound and reads past a longer one', () => {
    expect(read(['x'.repeat(8), '\r\n', 'y'.repeat(5), 'y'.repeat(4), '\nz\n', 'w'.repeat(9), '\nend'], 8).lines).toEqual([
      `1:${'x'.repeat(8)}↵`,
      '2:too long',
      '3:z',
      '4:too long',
      '5:end',
    ]);
    expect(
      read(
        Array.from({ length: 50 }, () => 'x'.repeat(10)),
        8,
      ).lines,
    ).toEqual(['1:too long']);
  });
});
