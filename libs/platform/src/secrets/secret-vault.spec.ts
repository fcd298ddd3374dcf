import { expect, it } from 'vitest';
import { SecretVault, UnreadableSecretError } from './secret-vault.js';

const OLD = 'a'.repeat(64);
const NEW = 'b'.repeat(64);

it('opens the secrets that it sealed', () => {
  const vault = new SecretVault(OLD);
  expect(vault.open(vault.seal('sk-тест', 'account:7'), 'account:7')).toBe('sk-тест');
});

it('seals the same secret differently each time', () => {
  const vault = new SecretVault(OLD);
  const [first, second] = [vault.seal('sk-secret', 'account:7'), vault.seal('sk-secret', 'account:7')];
  expect(first).not.toBe(second);
  expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('sk-secret');
});

it('opens old secrets after a key change', () => {
  const sealed = new SecretVault(OLD).seal('sk-secret', 'account:7');
  const both = new SecretVault(`${NEW},${OLD}`);
  expect(both.open(sealed, 'account:7')).toBe('sk-secret');
  expect(new SecretVault(NEW).open(both.seal('sk-secret', 'account:7'), 'account:7')).toBe('sk-secret');
});

it('refuses changed and foreign texts', () => {
  const vault = new SecretVault(OLD);
  const sealed = vault.seal('sk-secret', 'account:7');
  const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA');
  for (const [text, owner, opener] of [
    [changed, 'account:7', vault],
    [sealed, 'account:8', vault],
    [sealed, 'account:7', new SecretVault(NEW)],
    ['v2.x.y.z', 'account:7', vault],
    ['', 'account:7', vault],
  ] as const) {
    expect(() => opener.open(text, owner)).toThrow(UnreadableSecretError);
  }
});

it('refuses keys without 256 bits of hex', () => {
  for (const key of ['', 'abc', 'g'.repeat(64), 'a'.repeat(63), `${OLD},`]) expect(() => new SecretVault(key)).toThrow(TypeError);
});
