import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { type KeyKind, formatKey, keyHint, keyKindOf } from './key-text.js';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const KINDS: readonly KeyKind[] = ['dep', 'mcp'];

// Written with another implementation of Base62 and CRC-32.
const KNOWN: readonly (readonly [KeyKind, Uint8Array, string])[] = [
  ['dep', new Uint8Array(32), 'svc_dep_00000000000000000000000000000000000000000002bG9AV'],
  ['dep', Uint8Array.from({ length: 32 }, (_, i) => i), 'svc_dep_003aUlTJC7tjlCTQj2uNU3MFagCXG9LRKRcwGkBIDlf2z84p5'],
  ['mcp', new Uint8Array(32).fill(255), 'svc_mcp_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp11wUUsF'],
];

describe('formatKey', () => {
  it.each(KNOWN)('writes keys of kind %s in fixed form', (kind, random, text) => {
    expect(formatKey(kind, random)).toBe(text);
    expect(keyKindOf(text)).toBe(kind);
  });

  it('makes keys that reject any changed character', () => {
    const key = formatKey('dep', randomBytes(32));
    for (let at = 0; at < key.length; at += 1) {
      const changed = ALPHABET.split('')
        .filter((c) => c !== key[at])
        .map((c) => key.slice(0, at) + c + key.slice(at + 1));
      expect(changed.filter((text) => keyKindOf(text) !== null)).toEqual([]);
    }
  });

  it('makes keys that reject swapped neighbours', () => {
    const key = formatKey(
      'mcp',
      Uint8Array.from({ length: 32 }, (_, i) => i * 7),
    );
    for (let at = 'svc_mcp_'.length; at + 1 < key.length; at += 1) {
      const swapped = key.slice(0, at) + key.charAt(at + 1) + key.charAt(at) + key.slice(at + 2);
      expect([swapped === key ? null : keyKindOf(swapped), at]).toEqual([null, at]);
    }
  });

  it('makes keys that reject another kind', () => {
    for (const kind of KINDS) {
      const key = formatKey(kind, randomBytes(32));
      expect(keyKindOf(key.replace(/^svc_(dep|mcp)/, kind === 'dep' ? 'svc_mcp' : 'svc_dep'))).toBeNull();
    }
  });

  it('makes 10,000 different valid keys', () => {
    const keys = new Set<string>();
    for (let i = 0; i < 10_000; i += 1) {
      const kind = KINDS[i % 2] ?? 'dep';
      const key = formatKey(kind, randomBytes(32));
      if (!/^svc_(dep|mcp)_[0-9A-Za-z]{49}$/.test(key) || keyKindOf(key) !== kind) expect.unreachable(`refused: ${key}`);
      keys.add(key);
    }
    expect(keys.size).toBe(10_000);
  });

  it.each(['', 'svc_dep_', 'sk-abc', `svc_dep_${'0'.repeat(49)}`, `svc_dep_${'0'.repeat(48)}`, `svc_dep_${'-'.repeat(49)}`])(
    'makes no key like %j',
    (text) => {
      expect(keyKindOf(text)).toBeNull();
    },
  );

  it('makes keys that reject surrounding text', () => {
    const key = formatKey('dep', randomBytes(32));
    for (const text of [` ${key}`, `${key} `, `${key}\n`, `Bearer ${key}`, key.toUpperCase(), key.toLowerCase()]) {
      expect(keyKindOf(text)).toBeNull();
    }
  });

  it('takes exactly 256 random bits', () => {
    for (const length of [0, 16, 31, 33]) expect(() => formatKey('dep', new Uint8Array(length))).toThrow(TypeError);
  });

  it('leaves prefix and four characters as hint', () => {
    const [, , key] = KNOWN[1]!;
    expect(keyHint(key)).toBe('svc_dep_003a');
  });
});
