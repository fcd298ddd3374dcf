import type { Incarnation, StreamId } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type AcknowledgedStream, WorkerPeers } from './worker-peers.js';

const [a, b] = ['a', 'b'] as Incarnation[] as [Incarnation, Incarnation];
const stream = (st: string, at = 1, next = 0): AcknowledgedStream => ({ st: st as StreamId, at, next });

function create(moving = false): { peers: WorkerPeers<AcknowledgedStream>; asked: [string, unknown][]; died: [string, unknown][] } {
  const asked: [string, unknown][] = [];
  const died: [string, unknown][] = [];
  const peers = new WorkerPeers<AcknowledgedStream>({
    settings: { suspicionMs: 250, settleMs: 2_000 },
    ask: (wk, json) => asked.push([wk, JSON.parse(json)]),
    died: (wk, streams) => died.push([wk, streams]),
    moving: () => moving,
  });
  return { peers, asked, died };
}

describe('acknowledgements', () => {
  it('are one message per worker with all its streams', () => {
    const { peers, asked } = create();
    const [one, two, three] = [stream('one', 1, 4), stream('two', 3, 0), stream('three', 1, 9)];
    peers.join(a, one);
    peers.join(a, two);
    peers.join(b, three);
    peers.leave(b, three);
    peers.finished(b, three);
    peers.acknowledgeAll();
    expect(asked).toEqual([
      [
        'a',
        {
          k: 'ack',
          v: [
            ['one', 1, 4, 0],
            ['two', 3, 0, 0],
          ],
        },
      ],
      ['b', { k: 'ack', v: [['three', 1, 9, 1]] }],
    ]);
  });

  it('stop for a worker without streams', () => {
    const { peers, asked } = create();
    const one = stream('one');
    peers.join(a, one);
    peers.leave(a, one);
    peers.acknowledgeAll();
    expect(asked).toEqual([]);
  });

  it('report each finished stream once, between leases', () => {
    const { peers, asked } = create();
    peers.join(a, stream('open'));
    peers.finished(a, stream('one', 1, 2));
    peers.tick(100, false);
    expect(asked).toEqual([]);
    peers.tick(100, true);
    peers.tick(200, true);
    expect(asked).toEqual([['a', { k: 'ack', v: [['one', 1, 2, 1]] }]]);
  });

  it('of many streams stay below the message size', () => {
    const { peers, asked } = create();
    for (let i = 0; i < 5_000; i += 1) peers.join(a, stream(`s${i}`));
    peers.acknowledgeAll();
    expect(asked.map(([, message]) => (message as { v: unknown[] }).v.length)).toEqual([4_096, 904]);
  });
});

it('acknowledgements say that their gateway moves', () => {
  const { peers, asked } = create(true);
  peers.join(a, stream('one'));
  peers.acknowledgeAll();
  expect(asked).toEqual([['a', { k: 'ack', v: [['one', 1, 0, 0]], moves: true }]]);
});

describe('a worker without a subscriber', () => {
  it('is dead after the second report, with its streams', () => {
    const { peers, asked, died } = create();
    const one = stream('one');
    peers.join(a, one);
    peers.noResponders(a, 10_000, 0);
    peers.tick(10_250, false);
    expect(asked).toEqual([['a', { k: 'probe' }]]);
    peers.noResponders(a, 10_255, 0);
    expect(died).toEqual([['a', [one]]]);
  });

  it('is not dead while it moves between servers', () => {
    const { peers, died } = create();
    peers.join(a, stream('one'));
    peers.answered(a, true);
    for (const now of [10_000, 10_300, 12_000]) peers.noResponders(a, now, 0);
    expect([peers.moves(a), died]).toEqual([true, []]);
    peers.answered(a, false);
    for (const now of [13_000, 13_300]) peers.noResponders(a, now, 0);
    expect([peers.moves(a), died]).toEqual([false, [['a', [stream('one')]]]]);
  });

  it('is alive after an answer or a reconnect', () => {
    const { peers, died } = create();
    peers.join(a, stream('one'));
    peers.noResponders(a, 10_000, 0);
    peers.answered(a, false);
    peers.noResponders(a, 10_400, 0);
    peers.clearSuspicions();
    peers.noResponders(a, 10_800, 0);
    expect(died).toEqual([]);
  });
});
