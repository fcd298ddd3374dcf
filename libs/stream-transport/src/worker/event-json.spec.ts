import type { StreamEvent } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { chunkEvents } from './event-json.js';

const text = (x: string): StreamEvent => ({ k: 'text', x, n: 1 });

describe('events of one step', () => {
  it('are one frame when they fit', () => {
    const events = [text('a'), text('"b"\n')];
    expect(chunkEvents(events, 1_000)).toEqual([{ n: 2, json: JSON.stringify(events).slice(1, -1) }]);
  });

  it('are split over frames that each fit, in order and without loss', () => {
    const events = Array.from({ length: 37 }, (_, i) => text(`${i} ${'é'.repeat(i * 3)}`));
    const chunks = chunkEvents(events, 500)!;
    expect(chunks.length).toBeGreaterThan(1);
    expect(chunks.every(({ json }) => Buffer.byteLength(json) <= 500)).toBe(true);
    expect(chunks.flatMap(({ json }) => JSON.parse(`[${json}]`) as StreamEvent[])).toEqual(events);
    expect(chunks.reduce((sum, { n }) => sum + n, 0)).toBe(37);
  });

  it('are refused when a single one is larger than a frame', () => {
    expect(chunkEvents([text('a'), text('x'.repeat(600))], 500)).toBeNull();
    expect(chunkEvents([text('€'.repeat(200))], 500)).toBeNull();
  });
});
