import { formatKey } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { controlTokenFinder, firstInTexts, hasLoneSurrogate, invisibleIn, mayHoldSecret, secretIn } from './text-checks.js';

describe('invisibleIn', () => {
  it.each(['\0', '\u0007', '\u007f', '\u0085', '\u202e', '\u2066', '\u200b', '\u2028', '\ufeff', '\u{e0041}'])('finds %j', (char) => {
    expect(invisibleIn(`a${char}b`)).toBe(char.codePointAt(0));
  });

  it.each(['a\tb\r\n', 'naïve — “quoted” …', '👩‍👩‍👧', '❤️', 'می‌خواهم', 'क्‍ष', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '漢字　かな'])('leaves %j alone', (text) => {
    expect(invisibleIn(text)).toBeNull();
  });
});

it('finds half a UTF-16 pair, not a whole one', () => {
  expect(['\ud800', 'a\udc00b', '\udc00\ud800'].map(hasLoneSurrogate)).toEqual([true, true, true]);
  expect(hasLoneSurrogate('😀')).toBe(false);
});

describe('secretIn', () => {
  const key = formatKey('dep', new Uint8Array(32).fill(7));
  // Put together here, so that no scanner of repositories takes them for real.
  const together = (...parts: string[]) => parts.join('');
  const secrets: [string, string][] = [
    ['Slipway key', key],
    ['private key', together('-----BEGIN RSA ', 'PRIVATE', ' KEY-----')],
    ['private key', together('-----BEGIN ', 'PRIVATE', ' KEY-----')],
    ['OpenAI key', together('sk-', 'proj-', 'aB3'.repeat(10))],
    ['AWS key', together('AK', 'IA', 'Z'.repeat(16))],
    ['GitHub token', together('gh', 'p_', 'a1'.repeat(18))],
    ['GitLab token', together('gl', 'pat-', 'a1'.repeat(10))],
    ['Google key', together('AI', 'za', 'a'.repeat(35))],
    ['Hugging Face token', together('h', 'f_', 'a'.repeat(34))],
    ['Slack token', together('xo', 'xb-', '1'.repeat(12))],
    ['Stripe key', together('sk_', 'live_', 'a'.repeat(24))],
    ['JSON web token', together('ey', 'J', 'a'.repeat(20), '.ey', 'J', 'b'.repeat(20), '.', 'c'.repeat(20))],
  ];
  it.each(secrets)('finds a %s', (kind, secret) => {
    const text = `My key is:${secret}.`;
    expect(mayHoldSecret(text)).toBe(true);
    expect(secretIn(text)).toBe(kind);
  });

  it('believes no key without its check characters', () => {
    expect(secretIn(`${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`)).toBeNull();
    expect(secretIn('A deployment key starts with svc_dep_ and sk- means a secret key; risk-averse-investors-are-here')).toBeNull();
  });
});

it('finds control tokens as they are written', () => {
  const find = controlTokenFinder(['<|im_end|>', '</s>', '[INST]', '']);
  expect([find?.('a<|im_end|>'), find?.('x [INST] y'), find?.('<|im_end>')]).toEqual(['<|im_end|>', '[INST]', null]);
  expect(controlTokenFinder([])).toBeNull();
});

it('looks at all texts of a value', () => {
  const look = (text: string) => (text.startsWith('!') ? text : null);
  expect(firstInTexts({ a: [1, null, { b: '!x' }] }, look)).toBe('!x');
  expect(firstInTexts([{ '!k': true }], look)).toBe('!k');
  expect(firstInTexts({ a: ['0'] }, look)).toBeNull();
});
