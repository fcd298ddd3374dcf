import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import type { StreamId } from '../ids.js';
import { batchOf, Frame, FrameBatch, readFrames } from './frames.js';

const golden = JSON.parse(readFileSync(new URL('../../golden/inference/frames.json', import.meta.url), 'utf8')) as Record<
  string,
  { messages: Record<string, unknown>[] }
>;
const MESSAGES = Object.values(golden).flatMap(({ messages }) => messages);
const FRAMES = MESSAGES.filter(({ k }) => k !== 'batch');

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

const knownFieldsOf = (frame: ReturnType<typeof readFrames>): Frame | null => (frame === null ? null : Frame.parse(frame));

describe('readFrames', () => {
  it.each(FRAMES)('reads the recorded frame of kind $k unchanged', (frame) => {
    expect(readFrames(JSON.stringify(frame))).toEqual(frame);
  });

  it.each(FRAMES)('agrees with the schema on every mutation of $k', (frame) => {
    for (const mutation of mutationsOf(frame)) {
      const text = JSON.stringify(mutation);
      if (text === undefined) continue;
      const expected = Frame.safeParse(JSON.parse(text)).data ?? null;
      const read = readFrames(text);
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
    expect(readFrames(JSON.stringify(frame))).toEqual(frame);
  });

  it.each(['que', 'grant', 'hand', 'DATA', 'toString', '__proto__'])('returns null for the unknown kind %j', (k) => {
    expect(readFrames(JSON.stringify({ k, q: 0 }))).toBeNull();
  });

  it.each(['', '{', 'null', '[]', '"d"', '{"k":"d"', '{"k":["d"],"q":0,"e":[]}', '\u0000', '{"k":"d","q":0,"e":{"length":1}}'])(
    'returns null for the text %j',
    (text) => {
      expect(readFrames(text)).toBeNull();
    },
  );
});

describe('a batch', () => {
  const batchText = (entries: unknown[]): string => `{"k":"batch","f":${JSON.stringify(entries)}}`;
  const hb = { k: 'hb', q: 1, ph: 'decode' };

  it('is read as its frames with their attempts', () => {
    const batches = MESSAGES.filter(({ k }) => k === 'batch') as z.infer<typeof FrameBatch>[];
    expect(batches).not.toEqual([]);
    for (const batch of batches) {
      const text = batchOf(batch.f.map(([st, at, frame]) => ({ st, at, json: JSON.stringify(frame) })));
      expect(JSON.parse(text)).toEqual(batch);
      expect(readFrames(text)).toEqual(batch.f.map(([st, at, frame]) => ({ st, at, frame })));
    }
  });

  it('keeps its other frames beside one that cannot be read', () => {
    expect(readFrames(batchText([['a', 1, { k: 'new' }], ['b', 2, hb], 7, [3, 1, hb], ['c', 'x', hb]]))).toEqual([
      { st: 'a', at: 1, frame: null },
      { st: 'b', at: 2, frame: hb },
    ]);
  });

  it('of anything else than a list is unreadable', () => {
    expect(readFrames('{"k":"batch","f":{}}')).toBeNull();
    expect(readFrames('{"k":"batch"}')).toBeNull();
  });

  it('is what the schema describes', () => {
    const text = batchOf([{ st: 'k3Jx_9-aQ' as StreamId, at: 2, json: JSON.stringify(hb) }]);
    expect(FrameBatch.parse(JSON.parse(text)).f).toEqual([['k3Jx_9-aQ', 2, hb]]);
  });
});

function hasUnknownEvents(text: string): boolean {
  const known = new Set(['start', 'text', 'think', 'fin']);
  const { e } = JSON.parse(text) as { e?: { k?: unknown }[] };
  return Array.isArray(e) && e.some((event) => typeof event.k === 'string' && !known.has(event.k));
}
