import { describe, expect, it } from 'vitest';
import { BrokenStreamError, EventRoom, type EventShare, SseReader } from './sse-reader.js';

const MIB = 1024 * 1024;
const wide = (): EventShare => new EventRoom({ perAccount: 64 * MIB, inAll: 64 * MIB }).of(1);

function read(...parts: Uint8Array[]): string[] {
  const reader = new SseReader(wide());
  return parts.flatMap((part) => reader.feed(part));
}

const bytes = (text: string): Buffer => Buffer.from(text, 'utf8');

describe('SseReader', () => {
  const stream = ': ping\r\n\r\ndata: {"a":"é😀"}\n\nevent: x\nid: 7\nretry: 10\ndata: one\ndata: two\r\n\r\ndata:[DONE]\r\r: end\n\n';
  const expected = ['{"a":"é😀"}', 'one\ntwo', '[DONE]'];

  it('reads the same events wherever the bytes are cut', () => {
    const all = bytes(stream);
    for (let i = 0; i <= all.length; i += 1) {
      expect(read(all.subarray(0, i), all.subarray(i))).toEqual(expected);
    }
    expect(read(...[...all].map((byte) => Uint8Array.of(byte)))).toEqual(expected);
  });

  it('skips a byte order mark', () => {
    expect(read(bytes('\uFEFFdata: x\n\n'))).toEqual(['x']);
  });

  it('takes a byte order mark for text where nothing begins', () => {
    expect(read(bytes('data: '), bytes('\uFEFFx\n\n'))).toEqual(['\uFEFFx']);
    expect(read(bytes('data: é'), bytes('\uFEFFx\n\n'))).toEqual(['é\uFEFFx']);
  });

  it('reads what is not ASCII wherever it begins', () => {
    expect(read(bytes('data: a\n\n'), bytes('data: é😀\n\n'), bytes('data: b\n\n'))).toEqual(['a', 'é😀', 'b']);
    expect(() => read(bytes('data: a\n\n'), Uint8Array.of(0xc3), bytes('a\n\n'))).toThrow(BrokenStreamError);
  });

  it('drops an event that the end of the stream cuts off', () => {
    expect(read(bytes('data: a\n\ndata: b'))).toEqual(['a']);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => read(Uint8Array.from([0x64, 0x61, 0x74, 0x61, 0x3a, 0xff, 0x0a, 0x0a]))).toThrow(BrokenStreamError);
  });

  it('takes an event of just under 8 Mi characters, and refuses a larger one in one line or in many', () => {
    const line = 'x'.repeat(8 * MIB - 64);
    const parts = Array.from({ length: 16 }, (_, i) => bytes(line).subarray((i * line.length) / 16, ((i + 1) * line.length) / 16));
    expect(read(bytes('data: '), ...parts, bytes('\n\n'))).toEqual([line]);
    expect(() => read(bytes('data: '), ...parts, ...parts)).toThrow(BrokenStreamError);
    const lines = Array.from({ length: 9_000 }, () => bytes(`data: ${'y'.repeat(1_000)}\n`));
    expect(() => read(...lines)).toThrow(BrokenStreamError);
  });

  it('refuses large events beyond the room of its account, whichever engines send them', () => {
    const room = new EventRoom({ perAccount: 4 * MIB, inAll: 8 * MIB });
    const begun = bytes(`data: ${'x'.repeat(2 * MIB)}`);
    new SseReader(room.of(7)).feed(begun);
    expect(() => new SseReader(room.of(7)).feed(bytes(`data: ${'x'.repeat(3 * MIB)}`))).toThrow(BrokenStreamError);
    expect(() => new SseReader(room.of(8)).feed(begun)).not.toThrow();
  });

  it('needs room for many events that are not large yet, but not for tokens', () => {
    const share = new EventRoom({ perAccount: 4 * MIB, inAll: 4 * MIB }).of(7);
    const feedAll = (chars: number): void => {
      for (let i = 0; i < 64; i += 1) new SseReader(share).feed(bytes(`data: ${'x'.repeat(chars)}`));
    };
    expect(() => feedAll(60_000)).not.toThrow();
    expect(() => feedAll(256 * 1024)).toThrow(BrokenStreamError);
  });

  it('gives back what a large event held once it is complete or given up', () => {
    const room = new EventRoom({ perAccount: 4 * MIB, inAll: 4 * MIB }).of(7);
    const readers = [1, 2, 3].map(() => new SseReader(room));
    const begun = bytes(`data: ${'x'.repeat(2 * MIB - 6)}`);
    readers[0]?.feed(begun);
    readers[1]?.feed(begun);
    expect(() => readers[2]?.feed(begun)).toThrow(BrokenStreamError);
    expect(readers[0]?.feed(bytes('\n\n'))).toHaveLength(1);
    readers[1]?.close();
    expect(room.take(4 * MIB)).toBe(true);
  });

  // Quadratic work would not end within the time limit of a test.
  it('takes linear time for one large event in tiny pieces', () => {
    const reader = new SseReader(wide());
    const events = reader.feed(bytes('data: '));
    for (let i = 0; i < 200_000; i += 1) events.push(...reader.feed(bytes('abcd')));
    events.push(...reader.feed(bytes('\n\n')));
    expect(events.map((event) => event.length)).toEqual([800_000]);
  });
});
