import { describe, expect, it } from 'vitest';
import { Utf8Assembler } from './utf8-assembler.js';

const bytes = (text: string): Uint8Array => Buffer.from(text, 'utf8');

describe('Utf8Assembler', () => {
  const text = 'aé€😀z 👩‍👩‍👧 نص 漢字\u{10FFFF}\uFFFD!';

  it('gives the same text wherever the bytes are cut', () => {
    const all = bytes(text);
    for (let i = 0; i <= all.length; i += 1) {
      for (let j = i; j <= all.length; j += 1) {
        const assembler = new Utf8Assembler();
        const pieces = [all.subarray(0, i), all.subarray(i, j), all.subarray(j)].map((part) => assembler.push(part));
        expect(pieces.join('')).toBe(text);
      }
    }
  });

  it('lets no half of a character out, byte by byte', () => {
    const assembler = new Utf8Assembler();
    const pieces = [...bytes(text)].map((byte) => assembler.push(Uint8Array.of(byte)));
    expect(pieces.join('')).toBe(text);
    for (const piece of pieces) expect(/\p{Surrogate}/u.test(piece)).toBe(false);
    expect(pieces.filter((piece) => piece.includes('\uFFFD'))).toEqual(['\uFFFD']);
  });

  it.each([
    ['a lone continuation byte', [0x61, 0x80, 0x62], 'ab'],
    ['bytes that never occur', [0x61, 0xff, 0xfe, 0xc0, 0xc1, 0xf5, 0x62], 'ab'],
    ['an overlong form', [0x61, 0xe0, 0x80, 0x80, 0x62], 'ab'],
    ['a surrogate', [0x61, 0xed, 0xa0, 0x80, 0x62], 'ab'],
    ['a value above U+10FFFF', [0x61, 0xf4, 0x90, 0x80, 0x80, 0x62], 'ab'],
    ['a character that another one interrupts', [0xe2, 0x82, 0xc3, 0xa9], 'é'],
    ['a character that ASCII interrupts', [0xf0, 0x9f, 0x98, 0x62], 'b'],
    ['a character that the end cuts off', [0x61, 0xf0, 0x9f, 0x98], 'a'],
  ])('drops %s and keeps what is around it', (_name, input, expected) => {
    expect(new Utf8Assembler().push(Uint8Array.from(input))).toBe(expected);
    const assembler = new Utf8Assembler();
    expect(input.map((byte) => assembler.push(Uint8Array.of(byte))).join('')).toBe(expected);
  });

  it('agrees with the decoder of the platform on random bytes, less its replacement characters', () => {
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    for (let round = 0; round < 2_000; round += 1) {
      const input = Uint8Array.from({ length: 12 }, () => (random(2) === 0 ? random(256) : 0x80 + random(0x75)));
      const expected = new TextDecoder('utf-8', { ignoreBOM: true }).decode(input).replaceAll('\uFFFD', '');
      // The bytes of U+FFFD itself are too rare here to matter: three in a row, in order.
      expect(new Utf8Assembler().push(input).replaceAll('\uFFFD', '')).toBe(expected);
    }
  });
});
