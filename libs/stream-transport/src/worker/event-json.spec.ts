import type { StreamEvent } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { chunkEvents } from './event-json.js';

/** Half of a surrogate pair without its other half. */
const LONE_SURROGATE = /\p{Surrogate}/u;
const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });

describe('events of one step', () => {
  it('are one frame when they fit', () => {
    const events = [text('a'), text('"b"\n')];
    expect(chunkEvents(events, 1_000)).toEqual([{ n: 2, json: JSON.stringify(events).slice(1, -1) }]);
  });

  it('are split into fitting frames without loss', () => {
    const events = Array.from({ length: 37 }, (_, i) => text(`${i} ${'é'.repeat(i * 3)}`));
    const chunks = chunkEvents(events, 500)!;
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.every(({ json }) => Buffer.byteLength(json) <= 500)).toBe(true);
    expect(chunks.flatMap(({ json }) => JSON.parse(`[${json}]`) as StreamEvent[])).toEqual(events);
    expect(chunks.reduce((sum, { n }) => sum + n, 0)).toBe(37);
  });

  it.each([
    ['ASCII', 'x'.repeat(5_000)],
    ['characters of three bytes', '€'.repeat(2_000)],
    ['surrogate pairs', '😀'.repeat(2_001)],
    ['characters that JSON escapes', '\u0000"\\'.repeat(1_000)],
  ])('become several where one of %s is larger than a frame, cut between characters', (_, x) => {
    const chunks = chunkEvents([text('before'), { k: 'args', i: 2, c: 1, x, n: 7 }], 500)!;
    expect(chunks.every(({ json }) => Buffer.byteLength(json) <= 500)).toBe(true);
    const events = chunks.flatMap(({ json }) => JSON.parse(`[${json}]`) as StreamEvent[]);
    expect(events.length).toBe(chunks.reduce((sum, { n }) => sum + n, 0));
    const [first, ...pieces] = events as Extract<StreamEvent, { x: string; n: number }>[];
    expect(first).toEqual(text('before'));
    expect(pieces.map((piece) => piece.x).join('')).toBe(x);
    expect(pieces.every((piece) => piece.k === 'args' && piece.i === 2 && piece.c === 1 && !LONE_SURROGATE.test(piece.x))).toBe(true);
    expect(pieces.reduce((sum, piece) => sum + piece.n, 0)).toBe(7);
  });

  it('keep each probability with the text of its token', () => {
    const lp = Array.from({ length: 100 }, (_, i) => ({ t: `token${i} `, p: -1, top: [{ t: 'other', p: -2 }] }));
    const x = lp.map(({ t }) => t).join('');
    const chunks = chunkEvents([{ k: 'text', x, n: 100, lp }], 500)!;
    const pieces = chunks.flatMap(({ json }) => JSON.parse(`[${json}]`) as Extract<StreamEvent, { k: 'text' }>[]);
    expect(pieces.length).toBeGreaterThan(10);
    expect(pieces.map((piece) => piece.x).join('')).toBe(x);
    for (const piece of pieces) expect(piece.lp?.map(({ t }) => t).join('')).toBe(piece.x);
    expect(pieces.reduce((sum, piece) => sum + piece.n, 0)).toBe(100);
  });

  it('are refused when one cannot be cut to fit', () => {
    expect(chunkEvents([text('a'), { k: 'call', i: 0, id: 'c', name: 'n'.repeat(600), n: 1 }], 500)).toBeNull();
    expect(chunkEvents([{ k: 'text', x: 'a', n: 1, lp: [{ t: 'a', p: 0, top: [{ t: 'b'.repeat(600), p: -1 }] }] }], 500)).toBeNull();
  });
});
