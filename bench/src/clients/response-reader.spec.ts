import { describe, expect, it } from 'vitest';
import { ResponseReader } from './response-reader.js';

function read(pieces: readonly string[]): string[] {
  const seen: string[] = [];
  let body = '';
  const reader = new ResponseReader({
    head: (status) => void seen.push(String(status)),
    body: (text) => {
      body += text;
    },
    end: () => {
      seen.push(body);
      body = '';
    },
  });
  for (const piece of pieces) reader.feed(Buffer.from(piece, 'latin1'));
  return seen;
}

const SIZED = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const CHUNKED =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\nx: y\r\n\r\n5\r\nhello\r\n10\r\n, this is the sa\r\n3\r\nme.\r\n0\r\n\r\n';
const EMPTY = 'HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\n\r\n';

describe('responses on one connection', () => {
  it('are read one after the other', () => {
    expect(read([SIZED + CHUNKED + EMPTY])).toEqual(['200', 'hello', '200', 'hello, this is the same.', '401', '']);
  });

  it('are read wherever the connection cuts them', () => {
    const text = CHUNKED + SIZED;
    for (let at = 1; at < text.length; at += 1) {
      expect([at, read([text.slice(0, at), text.slice(at)])]).toEqual([at, ['200', 'hello, this is the same.', '200', 'hello']]);
    }
    expect(read(text.split(''))).toEqual(['200', 'hello, this is the same.', '200', 'hello']);
  });

  it('that are none are an error', () => {
    expect(() => read(['SSH-2.0-x\r\n\r\n'])).toThrow('No response');
    expect(() => read(['HTTP/1.1 200 OK\r\n\r\n'])).toThrow('without a length');
  });
});
