import { describe, expect, it } from 'vitest';
import { GatheredBody } from './gathered-body.js';

const KIB = 1024;
const MIB = KIB * KIB;

/** Gathers a body in pieces of these sizes, in turn, and measures the memory. */
function gather(
  bytes: number,
  sizes: readonly number[],
  bytesMax = 2 * bytes,
): { readonly body: GatheredBody; readonly cost: number; readonly sent: Buffer } {
  const sent = Buffer.alloc(bytes, 'no piece of it looks like the one before');
  const body = new GatheredBody(bytesMax);
  let cost = 0;
  for (let at = 0, turn = 0; at < bytes; turn += 1) {
    const piece = sent.subarray(at, at + (sizes[turn % sizes.length] ?? 1));
    cost += body.costOf(piece);
    body.add(piece);
    at += piece.length;
  }
  return { body, cost, sent };
}

describe('GatheredBody', () => {
  it.each([
    [8 * KIB, [1]],
    [MIB, [100]],
    [MIB, [KIB]],
    [MIB, [64 * KIB]],
    [MIB, [64 * KIB, 1]],
    [MIB, [5 * KIB, 100]],
    [MIB, [1_448, 4_344, 65_536, 7]],
  ])('holds %i bytes in pieces of %j compactly', (bytes, sizes) => {
    const { body, cost, sent } = gather(bytes, sizes);
    expect(body.isShredded).toBe(false);
    expect(body.whole().equals(sent)).toBe(true);
    expect(cost).toBeGreaterThanOrEqual(bytes);
    expect(cost).toBeLessThanOrEqual(2 * bytes);
    expect(gather(bytes, sizes, bytes).cost).toBe(bytes);
  });

  it('returns a single piece unchanged', () => {
    const piece = Buffer.from('{}');
    const body = new GatheredBody(10);
    expect(body.costOf(piece)).toBe(2);
    body.add(piece);
    expect(body.whole()).toBe(piece);
  });

  it('reports thousands of tiny pieces', () => {
    expect(gather(MIB, [1]).cost).toBeLessThanOrEqual(2 * MIB);
    expect(gather(8 * KIB, [1]).body.isShredded).toBe(false);
    expect(gather(9 * KIB, [1]).body.isShredded).toBe(true);
    expect(gather(MIB, [64]).body.isShredded).toBe(false);
    expect(gather(MIB, [32]).body.isShredded).toBe(true);
  });
});
