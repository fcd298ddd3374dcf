/** Scripts that are told apart, by ranges of code points; letters of others count as `Other`. Ascending. */
const RANGES: readonly (readonly [from: number, to: number, script: string])[] = [
  [0x41, 0x5a, 'Latin'],
  [0x61, 0x7a, 'Latin'],
  [0xc0, 0x24f, 'Latin'],
  [0x370, 0x3ff, 'Greek'],
  [0x400, 0x52f, 'Cyrillic'],
  [0x531, 0x58f, 'Armenian'],
  [0x591, 0x5f4, 'Hebrew'],
  [0x600, 0x6ff, 'Arabic'],
  [0x750, 0x77f, 'Arabic'],
  [0x900, 0x97f, 'Devanagari'],
  [0x980, 0x9ff, 'Bengali'],
  [0xb80, 0xbff, 'Tamil'],
  [0xc00, 0xc7f, 'Telugu'],
  [0xe01, 0xe5b, 'Thai'],
  [0x10a0, 0x10ff, 'Georgian'],
  [0x1100, 0x11ff, 'Hangul'],
  [0x1200, 0x139f, 'Ethiopic'],
  [0x1e00, 0x1eff, 'Latin'],
  [0x3041, 0x30ff, 'Kana'],
  [0x3130, 0x318f, 'Hangul'],
  [0x3400, 0x9fff, 'Han'],
  [0xac00, 0xd7af, 'Hangul'],
  [0xf900, 0xfaff, 'Han'],
  [0xfb50, 0xfdff, 'Arabic'],
  [0xfe70, 0xfefc, 'Arabic'],
];

const NAMES = [...new Set(RANGES.map(([, , script]) => script))];
const LETTER = /\p{L}/u;
/** For each UTF-16 unit: 0 = no letter, 1 = a letter of another script, 2 and above = of `NAMES`. Filled as they are met. */
const UNKNOWN = 255;
const CLASSES = new Uint8Array(0x1_0000).fill(UNKNOWN);

function classify(unit: number): number {
  // Emoji and rare scripts stand beyond 16 bits: half a pair is no letter.
  const range = unit >= 0xd800 && unit < 0xe000 ? undefined : RANGES.find(([from, to]) => unit >= from && unit <= to);
  const letter = range !== undefined && (unit < 0x80 || LETTER.test(String.fromCharCode(unit)));
  const found = letter ? NAMES.indexOf(range[2]) + 2 : Number(unit >= 0x80 && LETTER.test(String.fromCharCode(unit)));
  CLASSES[unit] = found;
  return found;
}

const counts = new Uint32Array(NAMES.length + 2);

/** The script of most letters of some texts, such as `Latin`; `Other` for scripts that are not told apart, null without letters. */
export function scriptOf(texts: Iterable<string>): string | null {
  counts.fill(0);
  for (const text of texts) {
    for (let i = 0; i < text.length; i += 1) {
      const unit = text.charCodeAt(i);
      const known = CLASSES[unit] as number;
      const found = known === UNKNOWN ? classify(unit) : known;
      counts[found] = (counts[found] as number) + 1;
    }
  }
  let most = 0;
  for (let i = 1; i < counts.length; i += 1) if (most === 0 ? counts[i] : (counts[i] as number) > (counts[most] as number)) most = i;
  if (most === 0) return null;
  return most === 1 ? 'Other' : (NAMES[most - 2] ?? 'Other');
}
