import { type Assignment, type AssignmentItem, credentialBinding, type DeploymentId, type Incarnation } from '@slipway/contracts';
import { BoxKey, BoxSealer } from '@slipway/platform';
import { describe, expect, it } from 'vitest';
import { AssignmentReader, TermFence } from './assignment-reader.js';

const wk = 'agent-1' as Incarnation;
const anItem = (dep: number): AssignmentItem => ({
  dep: dep as DeploymentId,
  rev: 1,
  source: { kind: 'http', url: 'http://engine.test:8000', model: 'm' },
  context: null,
  slots: 4,
  threads: 1,
  default_max_tokens: null,
});

function aReader(): { reader: AssignmentReader; fence: TermFence; key: BoxKey; read: (message: Assignment) => number[] | null } {
  const fence = new TermFence();
  const key = new BoxKey();
  const reader = new AssignmentReader({ wk, key, fence });
  const read = (message: Assignment): number[] | null => reader.read(JSON.stringify(message))?.items.map(({ dep }) => dep) ?? null;
  return { reader, fence, key, read };
}

const part = (term: number, no: number, [i, of]: readonly [number, number], deps: readonly number[]): Assignment => ({
  term,
  items: deps.map(anItem),
  stopped: [],
  part: { no, i, of },
});

describe('an assignment in parts', () => {
  it('is applied once all parts have arrived, in any order', () => {
    const { read, reader } = aReader();
    expect(read(part(1, 1, [1, 3], [2]))).toBeNull();
    expect(read(part(1, 1, [0, 3], [1]))).toBeNull();
    expect(read(part(1, 1, [0, 3], [1]))).toBeNull();
    expect(reader.applied).toBeNull();
    expect(read(part(1, 1, [2, 3], [3]))).toEqual([1, 2, 3]);
    expect(reader.applied).toEqual({ term: 1, no: 1 });
  });

  it('with a lost part is completed by the repetition', () => {
    const { read } = aReader();
    read(part(1, 1, [0, 2], [1]));
    read(part(1, 1, [0, 2], [1]));
    expect(read(part(1, 1, [1, 2], [2]))).toEqual([1, 2]);
  });

  it('is not replaced by an older one that arrives late', () => {
    const { read } = aReader();
    read(part(1, 1, [0, 2], [1]));
    expect(read(part(1, 2, [0, 1], [5]))).toEqual([5]);
    expect(read(part(1, 1, [1, 2], [2]))).toBeNull();
    expect(read(part(1, 3, [0, 2], [6]))).toBeNull();
    expect(read(part(1, 3, [1, 2], [7]))).toEqual([6, 7]);
  });

  it('of a new placer replaces that of an overruled one', () => {
    const { read } = aReader();
    expect(read(part(4, 9, [0, 1], [1]))).toEqual([1]);
    expect(read(part(3, 10, [0, 1], [2]))).toBeNull();
    expect(read(part(5, 1, [0, 1], [3]))).toEqual([3]);
  });

  it('that repeats the applied one only renews its term', () => {
    const { read, fence } = aReader();
    read(part(4, 9, [0, 1], [1]));
    for (let second = 0; second < 90; second += 1) {
      fence.tick();
      expect(read(part(4, 9, [0, 0], []))).toBeNull();
    }
    expect(read(part(3, 10, [0, 1], [2]))).toBeNull();
    expect(read(part(4, 9, [0, 1], [1]))).toBeNull();
  });

  it('alternates with single messages of older services', () => {
    const { read, reader } = aReader();
    expect(read(part(1, 7, [0, 1], [1]))).toEqual([1]);
    expect(read({ term: 2, items: [anItem(2)] })).toEqual([2]);
    expect(reader.applied).toBeNull();
    expect(read({ term: 2, items: [anItem(2)] })).toEqual([2]);
    expect(read(part(3, 1, [0, 1], [3]))).toEqual([3]);
  });
});

describe('a sealed secret', () => {
  it('is opened for its item only', () => {
    const { reader, key } = aReader();
    const sealer = new BoxSealer(key.publicKey);
    const good = { ...anItem(1), sealed: sealer.seal('sk-1', credentialBinding({ dep: 1, rev: 1, wk })) };
    const swapped = { ...anItem(2), sealed: good.sealed };
    const foreign = { ...anItem(3), sealed: new BoxSealer(new BoxKey().publicKey).seal('sk-3', credentialBinding({ dep: 3, rev: 1, wk })) };
    const whole = reader.read(JSON.stringify({ ...part(1, 1, [0, 1], []), items: [good, swapped, foreign, anItem(4)] }));
    expect(whole?.items).toEqual([{ ...anItem(1), credential: 'sk-1' }, anItem(4)]);
    expect(whole?.unreadable.map(({ dep }) => dep)).toEqual([2, 3]);
  });
});

it('a malformed assignment is refused and not quoted', () => {
  const { reader } = aReader();
  for (const text of ['', '{', '{"term":1,"items":[{"credential":"sk-secret"}]}', '{"term":1,"items":[],"part":{"no":0}}']) {
    expect(() => reader.read(text)).toThrow(/^The assignment is malformed\.$/);
  }
});

describe('a fence of terms', () => {
  const ticks = (fence: TermFence, count: number): void => {
    for (let tick = 0; tick < count; tick += 1) fence.tick();
  };

  it('rejects a lower term while the higher one sends messages', () => {
    const fence = new TermFence();
    expect(fence.admits(5)).toBe(true);
    for (let second = 0; second < 100; second += 1) {
      ticks(fence, 2);
      expect(fence.admits(4)).toBe(false);
      expect(fence.admits(5)).toBe(true);
    }
    expect(fence.admits(6)).toBe(true);
    expect(fence.admits(5)).toBe(false);
  });

  it('admits a lower term after 30 s without the higher one', () => {
    const fence = new TermFence();
    fence.admits(900);
    ticks(fence, 29);
    expect(fence.admits(3)).toBe(false);
    ticks(fence, 1);
    expect(fence.admits(3)).toBe(true);
    expect(fence.admits(2)).toBe(false);
  });
});
