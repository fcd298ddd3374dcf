import { isUtf8 } from 'node:buffer';
import { expect, it } from 'vitest';
import { badByteOf } from './utf8.js';

it('finds the first byte that is not UTF-8', () => {
  const bad = (...bytes: number[]) => badByteOf(Buffer.from([0x61, 0xc3, 0xa9, ...bytes]), 0, 3 + bytes.length);
  expect(bad(0x62)).toBeNull();
  expect(bad(0xf0, 0x9f, 0x98, 0x80)).toBeNull();
  expect(bad(0x62, 0xff)).toEqual({ byte: 0xff, position: 5 });
  expect(bad(0xed, 0xa0, 0x80)).toEqual({ byte: 0xed, position: 4 });
  expect(bad(0xc0, 0x80)).toEqual({ byte: 0xc0, position: 4 });
  expect(bad(0xe2, 0x82)).toEqual({ byte: 0xe2, position: 4 });
  expect(bad(0xf5, 0x80, 0x80, 0x80)).toEqual({ byte: 0xf5, position: 4 });
});

it('agrees with the runtime on random bytes', () => {
  let state = 7;
  const byte = () => ((state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0) >>> 16) & 0xff;
  for (let i = 0; i < 20_000; i += 1) {
    const bytes = Buffer.from(Array.from({ length: 1 + (byte() % 5) }, () => byte() | (byte() & 0x80)));
    expect(badByteOf(bytes, 0, bytes.length) === null).toBe(isUtf8(bytes));
  }
});
