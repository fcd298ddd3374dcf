import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { Frame, readFrame } from './frames.js';

const golden = JSON.parse(readFileSync(new URL('../../golden/inference/frames.json', import.meta.url), 'utf8')) as Record<
  string,
  { messages: Record<string, unknown>[] }
>;
const FRAMES = Object.values(golden).flatMap(({ messages }) => messages);

const WRONG = [undefined, null, true, -1, 0.5, 1e300, '', 'x', [], [null], {}];

/** Every message that differs from `value` in one place, lists and objects within it included. */
function* mutationsOf(value: unknown): Generator<unknown> {
  yield* WRONG;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, field] of Object.entries(value)) {
    for (const mutation of mutationsOf(field)) {
      const copy = structuredClone(value) as Record<string, unknown>;
      copy[name] = mutation;
      yield copy;
    }
  }
}

const knownFieldsOf = (frame: Frame | null): Frame | null => (frame === null ? null : Frame.parse(frame));

describe('readFrame', () => {
  it.each(FRAMES)('reads the recorded frame of kind $k unchanged', (frame) => {
    expect(readFrame(JSON.stringify(frame))).toEqual(frame);
  });

  it.each(FRAMES)('agrees with the schema on every mutation of $k', (frame) => {
    for (const mutation of mutationsOf(frame)) {
      const text = JSON.stringify(mutation);
      if (text === undefined) continue;
      const expected = Frame.safeParse(JSON.parse(text)).data ?? null;
      const read = readFrame(text);
      if (read !== null && expected === null && hasUnknownEvents(text)) continue;
      expect([text, knownFieldsOf(read)]).toEqual([text, expected]);
    }
  });

  it('keeps events of unknown kinds', () => {
    const frame = {
      k: 'd',
      q: 4,
      e: [
        { k: 'tool', name: 'search' },
        { k: 'text', x: 'a', n: 1 },
      ],
    };
    expect(readFrame(JSON.stringify(frame))).toEqual(frame);
  });

  it.each(['que', 'grant', 'hand', 'DATA', 'toString', '__proto__'])('returns null for the unknown kind %j', (k) => {
    expect(readFrame(JSON.stringify({ k, q: 0 }))).toBeNull();
  });

  it.each(['', '{', 'null', '[]', '"d"', '{"k":"d"', '{"k":["d"],"q":0,"e":[]}', '\u0000', '{"k":"d","q":0,"e":{"length":1}}'])(
    'returns null for the text %j',
    (text) => {
      expect(readFrame(text)).toBeNull();
    },
  );
});

function hasUnknownEvents(text: string): boolean {
  const known = new Set(['start', 'text', 'think', 'fin']);
  const { e } = JSON.parse(text) as { e?: { k?: unknown }[] };
  return Array.isArray(e) && e.some((event) => typeof event.k === 'string' && !known.has(event.k));
}
