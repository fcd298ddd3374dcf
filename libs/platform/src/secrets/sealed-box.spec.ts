import { describe, expect, it } from 'vitest';
import { BoxKey, BoxSealer, UnreadableBoxError } from './sealed-box.js';

describe('BoxKey', () => {
  it('opens texts sealed for it', () => {
    const key = new BoxKey();
    for (let sender = 0; sender < 40; sender += 1) {
      const sealer = new BoxSealer(key.publicKey);
      expect(key.open(sealer.seal('sk-тест', 'a'), 'a')).toBe('sk-тест');
      expect(key.open(sealer.seal('', 'b'), 'b')).toBe('');
    }
  });

  it('opens no foreign and no changed text', () => {
    const key = new BoxKey();
    const sealed = new BoxSealer(key.publicKey).seal('sk-secret', 'assignment 1:1 agent');
    const changed = sealed.split('.').map((piece, i) => (i === 3 ? `${piece[0] === 'A' ? 'B' : 'A'}${piece.slice(1)}` : piece));
    const attempts: readonly (() => string)[] = [
      () => new BoxKey().open(sealed, 'assignment 1:1 agent'),
      () => key.open(sealed, 'assignment 1:2 agent'),
      () => key.open(changed.join('.'), 'assignment 1:1 agent'),
      () => key.open('x1.short', 'assignment 1:1 agent'),
      () => key.open('', 'assignment 1:1 agent'),
      () => key.open(sealed.replace('x1.', 'x2.'), 'assignment 1:1 agent'),
    ];
    for (const attempt of attempts) {
      expect(attempt).toThrow(UnreadableBoxError);
      expect(attempt).not.toThrow(/sk-secret/);
    }
  });

  it('seals differently each time', () => {
    const sealer = new BoxSealer(new BoxKey().publicKey);
    const [first, second] = [sealer.seal('sk-secret', 'a'), sealer.seal('sk-secret', 'a')];
    expect(first).not.toBe(second);
    expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('sk-secret');
  });

  it('refuses an unusable public key', () => {
    const lowOrder = Buffer.alloc(32).toString('base64url');
    for (const text of ['', 'abc', 'ä'.repeat(43), lowOrder]) expect(() => new BoxSealer(text)).toThrow(TypeError);
  });
});
