import { keyKindOf } from '@slipway/contracts/plain';

/**
 * Characters that nobody sees: controls but tabulator and line breaks, bidirectional overrides, zero-width characters but the joiners
 * and selectors that scripts and emoji need, line separators, and tag characters outside of flags.
 */
const INVISIBLE =
  // eslint-disable-next-line no-control-regex -- controls are what is looked for
  /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|(?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{0,7})[\u{e0000}-\u{e007f}]/u;

/** The first invisible character of a text; null = none. */
export function invisibleIn(text: string): number | null {
  return INVISIBLE.exec(text)?.[0].codePointAt(0) ?? null;
}

const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a text holds half a UTF-16 pair. */
export const hasLoneSurrogate = (text: string): boolean => LONE_SURROGATE.test(text);

/** Kinds of credentials by their form. Beginnings alone are not enough: each wants the length that issuers give it. */
const SECRETS: readonly { readonly kind: string; readonly form: RegExp }[] = [
  { kind: 'private key', form: /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/ },
  { kind: 'OpenAI key', form: /(?<![A-Za-z0-9])sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{20,}/ },
  { kind: 'AWS key', form: /(?<![A-Za-z0-9])A(?:KIA|SIA)[A-Z0-9]{16}(?![A-Za-z0-9])/ },
  { kind: 'GitHub token', form: /(?<![A-Za-z0-9])(?:gh[opsur]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{50})/ },
  { kind: 'GitLab token', form: /(?<![A-Za-z0-9])glpat-[A-Za-z0-9_-]{20}/ },
  { kind: 'Google key', form: /(?<![A-Za-z0-9])AIza[A-Za-z0-9_-]{35}/ },
  { kind: 'Hugging Face token', form: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30}/ },
  { kind: 'Slack token', form: /(?<![A-Za-z0-9])xox[abeprs]-[A-Za-z0-9-]{10}/ },
  { kind: 'Stripe key', form: /(?<![A-Za-z0-9])[rs]k_live_[A-Za-z0-9]{20}/ },
  { kind: 'JSON web token', form: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10}/ },
];

/** Beginnings of all of them: what a text without one of these holds is no secret. */
const BEGINNINGS = /svc_(?:dep|mcp)_|-----BEGIN |sk-|A[KS]IA|gh[opsur]_|github_pat_|glpat-|AIza|hf_|xox[abeprs]-|[rs]k_live_|eyJ/;

/** Whether a text may hold a credential: quick, and true for some that hold none. */
export const mayHoldSecret = (text: string): boolean => BEGINNINGS.test(text);

/** The kind of credential that a text holds by its form; null = none. Slipway's keys are told by their check characters. */
export function secretIn(text: string): string | null {
  for (const [key] of text.matchAll(/svc_(?:dep|mcp)_[0-9A-Za-z]{49}/g)) if (keyKindOf(key)) return 'Slipway key';
  return SECRETS.find(({ form }) => form.test(text))?.kind ?? null;
}

/** Finds control tokens in text; null where there are none to look for. */
export function controlTokenFinder(tokens: readonly string[]): ((text: string) => string | null) | null {
  const wanted = [...new Set(tokens)].filter((token) => token !== '').sort((a, b) => b.length - a.length);
  if (wanted.length === 0) return null;
  const pattern = new RegExp(wanted.map((token) => token.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)).join('|'));
  return (text) => pattern.exec(text)?.[0] ?? null;
}

/** The first result that is not null of `look` over all texts of a JSON value, names of fields included. */
export function firstInTexts<T>(value: unknown, look: (text: string) => T | null): T | null {
  if (typeof value === 'string') return look(value);
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const found = (Array.isArray(value) ? null : look(key)) ?? firstInTexts(item, look);
    if (found !== null) return found;
  }
  return null;
}
