import { expect, it } from 'vitest';
import { CredentialVault, UnreadableCredentialError } from './credential-vault.js';

const OLD = 'a'.repeat(64);
const NEW = 'b'.repeat(64);

it('opens what it sealed', () => {
  const vault = new CredentialVault(OLD);
  expect(vault.open(vault.seal('sk-тест', 7), 7)).toBe('sk-тест');
});

it('seals the same credential differently each time, and never in clear', () => {
  const vault = new CredentialVault(OLD);
  const [first, second] = [vault.seal('sk-secret', 7), vault.seal('sk-secret', 7)];
  expect(first).not.toBe(second);
  expect(Buffer.from(first.split('.')[3] ?? '', 'base64url').toString('latin1')).not.toContain('sk-secret');
});

it('opens old credentials after the key was changed, and seals with the new key', () => {
  const sealed = new CredentialVault(OLD).seal('sk-secret', 7);
  const both = new CredentialVault(`${NEW},${OLD}`);
  expect(both.open(sealed, 7)).toBe('sk-secret');
  expect(new CredentialVault(NEW).open(both.seal('sk-secret', 7), 7)).toBe('sk-secret');
});

it('refuses a changed text, another account, a missing key and foreign text, without telling the credential', () => {
  const vault = new CredentialVault(OLD);
  const sealed = vault.seal('sk-secret', 7);
  const changed = sealed.slice(0, -2) + (sealed.endsWith('AA') ? 'BB' : 'AA');
  for (const [text, account, opener] of [
    [changed, 7, vault],
    [sealed, 8, vault],
    [sealed, 7, new CredentialVault(NEW)],
    ['v2.x.y.z', 7, vault],
    ['', 7, vault],
  ] as const) {
    expect(() => opener.open(text, account)).toThrow(UnreadableCredentialError);
  }
});

it('refuses a key that is not 256 bits in hex', () => {
  for (const key of ['', 'abc', 'g'.repeat(64), 'a'.repeat(63), `${OLD},`]) expect(() => new CredentialVault(key)).toThrow(TypeError);
});
