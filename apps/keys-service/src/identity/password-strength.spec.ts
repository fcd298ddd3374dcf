import { describe, expect, it } from 'vitest';
import { requireStrongPassword } from './password-strength.js';

const ADA = { email: 'ada.lovelace@analytical.example', name: 'Ada Lovelace' };

/** The reason for which a password is refused; null = it is accepted. */
async function refusalOf(password: string, owner = ADA): Promise<string | null> {
  try {
    await requireStrongPassword(password, owner, 'password');
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

describe('a new password', () => {
  it.each([
    ['password12', 'a common password'],
    ['1234567890', 'people use most'],
    ['qwertyuiop', 'people use most'],
    ['P@ssw0rd2026', 'common password'],
    ['aaaaaaaaaaaa', 'repeats a character'],
    ['abcabcabcabc', 'repeats a group'],
    ['lovelace1815', 'your name or address'],
    ['analytical1', 'your name or address'],
    ['Ada Lovelace', 'your name or address'],
    [ADA.email, 'your name or address'],
    ['slipway2026', 'your name or address'],
    ['x'.repeat(200), 'repeats a character'],
  ])('%s is refused with its reason', async (password, reason) => {
    expect(await refusalOf(password)).toContain(reason);
  });

  it.each([
    'correct horse battery',
    'Tr0ub4dor&3-again',
    'wq8Zt!mm2Lp',
    'über sieben Brücken',
    '長い秘密の合言葉です',
    'a'.padEnd(39, 'qz7 '),
  ])('%s is accepted', async (password) => {
    expect(await refusalOf(password)).toBeNull();
  });

  it('is judged without the name of a person who gave none', async () => {
    expect(await refusalOf('lovelace and babbage', { email: 'someone@example.com', name: '' })).toBeNull();
  });
});
