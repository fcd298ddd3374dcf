import { isUtf8 } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { cutTexts } from './cut-texts.js';

const PLACES = new Set(['messages\n\ncontent', 'messages\n\ncontent\n\ntext']);
const LONG = 'lorem ipsum '.repeat(400);

const cutOf = (json: string | Buffer, restMax = 64 * 1024): ReturnType<typeof cutTexts> =>
  cutTexts(Buffer.from(json), { places: PLACES, restMax });
const bodyWith = (...contents: readonly unknown[]): string =>
  JSON.stringify({ model: 'm', messages: contents.map((content) => ({ role: 'user', content })), n: 1 });
const textIn = (json: string): string => json.slice(1, -1);
/** A body whose one long text stands in JSON as given. */
const rawBody = (text: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from('{"messages":[{"content":"'), Buffer.from(text), Buffer.from('"}]}')]);

describe('long texts that are cut out of JSON', () => {
  it('come back in their bytes', () => {
    const json = bodyWith(LONG, 'short', [{ type: 'text', text: `"${LONG}\n` }]);
    const cut = cutOf(json);
    expect(cut?.json.length).toBeLessThan(400);
    const whole = cut?.texts.putBack(cut.json.toString());
    expect(Buffer.concat(whole?.pieces ?? []).toString()).toBe(json);
  });

  it('may come back in another place, or twice', () => {
    const cut = cutOf(bodyWith(LONG, `${LONG}!`));
    const { messages } = JSON.parse(cut?.json.toString() ?? '') as { messages: { content: string }[] };
    const [first = '', second = ''] = messages.map(({ content }) => content);
    const whole = cut?.texts.putBack(JSON.stringify({ joined: `a${second}1${first}`, again: first }));
    expect(JSON.parse(Buffer.concat(whole?.pieces ?? []).toString())).toEqual({ joined: `a${LONG}!1${LONG}`, again: LONG });
    expect(cut?.texts.unitsOf(`a${second}1${first}`)).toBe(2 * LONG.length + 3);
  });

  it.each([
    ['short', bodyWith('short')],
    ['in another place', JSON.stringify({ messages: [{ name: LONG, content: [[{ text: LONG }]] }], content: LONG })],
    ['below a name that only looks like the place', JSON.stringify({ 'messages\n\ncontent': LONG })],
    ['the name of a member', JSON.stringify({ messages: [{ content: { [LONG]: 1 } }] })],
    ['beside more than may be left', bodyWith(LONG, 'x'.repeat(70_000).match(/.{1,1000}/g))],
    ['not closed', `{"messages":[{"content":"${LONG}`],
    ['with an escape that JSON has not', rawBody(`${LONG}\\x41`)],
    ['with digits that are none', rawBody(`${LONG}\\u00g1`)],
    ['with half a surrogate pair', rawBody(`${LONG}\\ud83d`)],
    ['with a second half alone', rawBody(`${LONG}\\ude00`)],
    ['with two first halves', rawBody(`${LONG}\\ud83d\\ud83d\\ude00`)],
    ['with a control character', rawBody(`${LONG}\u001f`)],
    ['with bytes that are no UTF-8', rawBody(Buffer.concat([Buffer.from(LONG), Buffer.from([0xc3])]))],
  ])('are none that are %s', (_, json) => {
    expect(cutOf(json)).toBeNull();
  });

  it('hold no control character at any place', () => {
    for (let at = 0; at < 12; at += 1) {
      for (const code of [0, 9, 10, 31]) {
        const bytes = rawBody(LONG);
        const start = bytes.indexOf(LONG);
        for (const place of [start + at, start + LONG.length - 1 - at]) {
          const wrong = Buffer.from(bytes);
          wrong[place] = code;
          expect(cutOf(wrong)).toBeNull();
          wrong[place] = 0x7f;
          expect(cutOf(wrong)).not.toBeNull();
        }
      }
    }
  });

  it('are told with their lengths, wherever their bytes begin', () => {
    const texts = ['a', 'é', '€', '😀', '\n', '"', '\\', '/', '\u0001', '\u007f', '\u07ff', '\u0800', '\uffff'];
    for (const one of texts) {
      for (const [before, ...after] of [[''], ['x', 'é'], ['xy', '😀'], ['xyz', '€€']]) {
        const text = `${before}${one.repeat(2_048)}${after.join('')}`;
        for (const json of [JSON.stringify(text), asciiOnly(text)]) {
          const cut = cutOf(rawBody(textIn(json)));
          const whole = cut?.texts.putBack(cut.json.toString());
          const mark = cut?.json.toString().slice('{"messages":[{"content":"'.length, -'"}]}'.length) ?? '';
          expect([cut?.texts.unitsOf(mark), whole?.moreBytes]).toEqual([text.length, Buffer.byteLength(text) - mark.length]);
        }
      }
    }
  });

  it('show their beginning without being read whole', () => {
    const texts = [LONG, 'é😀\n'.repeat(1_000), '😀'.repeat(2_000)];
    for (const text of texts) {
      for (const json of [JSON.stringify(text), asciiOnly(text)]) {
        const cut = cutOf(rawBody(textIn(json)));
        const { messages } = JSON.parse(cut?.json.toString() ?? '') as { messages: { content: string }[] };
        const read = `<${messages[0]?.content ?? ''}>${messages[0]?.content ?? ''}`;
        const whole = `<${text}>${text}`;
        for (const units of [0, 1, 2, 100, text.length, text.length + 2, whole.length - 1, whole.length, whole.length + 1]) {
          const beginning = cut?.texts.beginningOf(read, units) ?? '';
          expect(whole.startsWith(beginning)).toBe(true);
          expect(beginning.length).toBeGreaterThanOrEqual(Math.min(units, whole.length));
          expect(beginning.length).toBeLessThanOrEqual(Math.max(units + 1, LONG.length));
        }
      }
    }
  });

  it('are as good or as bad as JSON.parse finds them, whatever stands in them', () => {
    const random = seeded(1);
    const below = (end: number): number => Math.floor(random() * end);
    const kinds = ['a', ' ', '"', '\\', '/', '\n', '\u0000', '\u001f', 'é', '€', '😀', 'lorem ipsum dolor sit amet '];
    const seen = { cut: 0, whole: 0, broken: 0 };
    for (let round = 0; round < 500; round += 1) {
      const text = Array.from({ length: 200 + below(400) }, () => kinds[below(kinds.length)])
        .join('')
        .repeat(1 + below(6));
      const bytes = rawBody(textIn(random() < 0.5 ? JSON.stringify(text) : asciiOnly(text)));
      // Half of them with one byte that is another.
      if (random() < 0.5) bytes[below(bytes.length)] = random() < 0.5 ? below(256) : 0x75;
      const cut = cutOf(bytes);
      const isJson = isUtf8(bytes) && isReadable(bytes.toString());
      if (cut === null) {
        seen[isJson ? 'whole' : 'broken'] += 1;
        continue;
      }
      seen.cut += 1;
      expect(Buffer.concat(cut.texts.putBack(cut.json.toString()).pieces).equals(bytes)).toBe(true);
      expect(isReadable(cut.json.toString())).toBe(isJson);
    }
    expect(Math.min(seen.cut, seen.whole, seen.broken)).toBeGreaterThan(10);
  });
});

/** The JSON of a text, with an escape for each code unit that is not ASCII. */
const asciiOnly = (text: string): string =>
  JSON.stringify(text).replaceAll(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function isReadable(json: string): boolean {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
}

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}
