import { describe, expect, it } from 'vitest';
import { BrokenStreamError, readSse } from './sse-reader.js';

async function* body(...parts: Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const part of parts) yield await Promise.resolve(part);
}

async function read(...parts: Uint8Array[]): Promise<string[]> {
  const all: string[] = [];
  for await (const group of readSse(body(...parts))) all.push(...group);
  return all;
}

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('readSse', () => {
  const stream = ': ping\r\n\r\ndata: {"a":"é😀"}\n\nevent: x\nid: 7\nretry: 10\ndata: one\ndata: two\r\n\r\ndata:[DONE]\r\r: end\n\n';
  const expected = ['{"a":"é😀"}', 'one\ntwo', '[DONE]'];

  it('reads the same events wherever the bytes are cut', async () => {
    const all = bytes(stream);
    for (let i = 0; i <= all.length; i += 1) {
      expect(await read(all.subarray(0, i), all.subarray(i))).toEqual(expected);
    }
    expect(await read(...[...all].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it('skips a byte order mark', async () => {
    expect(await read(bytes('\uFEFFdata: x\n\n'))).toEqual(['x']);
  });

  it('drops an event that the end of the stream cuts off', async () => {
    expect(await read(bytes('data: a\n\ndata: b'))).toEqual(['a']);
  });

  it('refuses bytes that are not UTF-8', async () => {
    await expect(read(Uint8Array.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a]))).rejects.toThrow(BrokenStreamError);
  });

  it('takes an event of just under 1 MiB, and refuses a larger one in one line or in many', async () => {
    const line = 'x'.repeat(1024 * 1024 - 64);
    const parts = Array.from({ length: 16 }, (_, i) => bytes(line).subarray((i * line.length) / 16, ((i + 1) * line.length) / 16));
    expect(await read(bytes('data: '), ...parts, bytes('\n\n'))).toEqual([line]);
    await expect(read(bytes('data: '), ...parts, ...parts)).rejects.toThrow(BrokenStreamError);
    const lines = Array.from({ length: 1_100 }, () => bytes(`data: ${'y'.repeat(1_000)}\n`));
    await expect(read(...lines)).rejects.toThrow(BrokenStreamError);
  });

  // Quadratic work would not end within the time limit of a test.
  it('takes linear time for one large event in tiny pieces', async () => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      yield bytes('data: ');
      for (let i = 0; i < 200_000; i += 1) yield await Promise.resolve(bytes('abcd'));
      yield bytes('\n\n');
    }
    const events: string[] = [];
    for await (const group of readSse(pieces())) events.push(...group);
    expect(events.map((event) => event.length)).toEqual([800_000]);
  });
});
