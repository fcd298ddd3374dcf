import { type AddressedFrame, readFrames } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { Publisher } from '../wire/link.js';
import { FramePublisher, type OutgoingFrame } from './frame-publisher.js';
import type { WorkerStream } from './worker-stream.js';

interface Sent {
  readonly subject: string;
  readonly text: string;
  readonly reply: string | undefined;
}

function setUp(limit = 900_000): { sent: Sent[]; frames: FramePublisher } {
  const sent: Sent[] = [];
  const publisher = {
    limit,
    send: (subject: string, text: string, options?: { reply?: string }) => sent.push({ subject, text, reply: options?.reply }) > 0,
  };
  return { sent, frames: new FramePublisher(publisher as unknown as Publisher) };
}

const frame = (st: string, q: number, { gw = 'g', batch = true, check = false, ph = 'decode' } = {}): OutgoingFrame => ({
  stream: { address: { gw, st, at: 1 }, reply: `${gw}.${st}`, noInterest: `ni.${st}`, batch } as unknown as WorkerStream,
  json: JSON.stringify({ k: 'hb', q, ph }),
  check,
});

describe('frames of one turn', () => {
  it('travel in one message for each gateway', () => {
    const { sent, frames } = setUp();
    frames.send([frame('a', 0), frame('b', 0, { gw: 'h' }), frame('a', 1), frame('c', 0), frame('b', 1, { gw: 'h' })]);
    expect(sent.map(({ subject }) => subject)).toEqual(['g.a', 'h.b']);
    expect(readFrames(sent[0]?.text ?? '')).toMatchObject([
      { st: 'a', at: 1, frame: { q: 0 } },
      { st: 'a', at: 1, frame: { q: 1 } },
      { st: 'c', at: 1, frame: { q: 0 } },
    ]);
  });

  it('travel alone to a gateway that reads no batches', () => {
    const { sent, frames } = setUp();
    frames.send([frame('a', 0, { batch: false }), frame('b', 0, { batch: false, check: true })]);
    expect(sent).toEqual([
      { subject: 'g.a', text: '{"k":"hb","q":0,"ph":"decode"}', reply: undefined },
      { subject: 'g.b', text: '{"k":"hb","q":0,"ph":"decode"}', reply: 'ni.b' },
    ]);
  });

  it('ask once whether their gateway is there', () => {
    const { sent, frames } = setUp();
    frames.send([frame('a', 0), frame('b', 0, { check: true }), frame('c', 0, { check: true })]);
    expect(sent.map(({ reply }) => reply)).toEqual(['ni.b']);
  });

  it('are split over messages of bounded size', () => {
    const { sent, frames } = setUp(1_200);
    frames.send(Array.from({ length: 30 }, (_, q) => frame('a', q)));
    expect(sent.every(({ text }) => text.length <= 600)).toBe(true);
    const read = sent.flatMap(({ text }) => readFrames(text) as AddressedFrame[]);
    expect(read.map(({ frame: one }) => (one as { q: number }).q)).toEqual(Array.from({ length: 30 }, (_, q) => q));
  });
});
