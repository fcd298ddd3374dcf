import { createHash } from 'node:crypto';
import { MAX_START_BYTES } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { type Part, PartAssemblies } from './part-assemblies.js';

const bodies = ['one', 'two', 'three'].map((text) => Buffer.from(text));
const digest = createHash('sha256').update(Buffer.concat(bodies)).digest('hex');
const part = (i: number, change: Partial<Part> = {}): Part => ({
  key: 'k',
  gw: 'g',
  position: `${i}/3`,
  digest: i === 0 ? digest : undefined,
  body: bodies[i]!,
  ...change,
});
const create = (): PartAssemblies => new PartAssemblies({ partsMs: 5_000, assembliesPerGateway: 4 });

describe('a start in parts', () => {
  it.each(['0 1 2', '2 1 0', '1 1 0 2'])('is complete when its parts arrive as %s', (text) => {
    const order = text.split(' ').map(Number);
    const assemblies = create();
    const results = order.map((i) => assemblies.add(part(i), 0));
    expect(results.slice(0, -1)).toEqual(results.slice(0, -1).map(() => 'waiting'));
    expect(results.at(-1)).toEqual({ body: Buffer.concat(bodies) });
    expect(assemblies.size).toBe(0);
  });

  it('is incomplete and freed with a wrong checksum', () => {
    for (const wrong of ['00', undefined]) {
      const assemblies = create();
      assemblies.add(part(0, { digest: wrong }), 0);
      assemblies.add(part(1), 0);
      expect(assemblies.add(part(2), 0)).toBe('incomplete');
      expect(assemblies.size).toBe(0);
    }
  });

  it.each(['x', '', '3/3', '-1/3', '1/2/3', '1e1/20', '0/0'])('at the position "%s" is malformed', (position) => {
    expect(create().add(part(0, { position }), 0)).toBe('malformed');
  });

  it('is malformed and freed when part counts differ', () => {
    const assemblies = create();
    assemblies.add(part(0), 0);
    expect(assemblies.add(part(1, { position: '1/4' }), 0)).toBe('malformed');
    expect(assemblies.size).toBe(0);
  });

  it('is malformed above the largest start', () => {
    const assemblies = create();
    assemblies.add(part(0), 0);
    const huge = { length: MAX_START_BYTES } as Uint8Array;
    expect(assemblies.add(part(1, { body: huge }), 0)).toBe('malformed');
  });

  it('is refused as the fifth of its gateway', () => {
    const assemblies = create();
    for (let i = 0; i < 4; i += 1) expect(assemblies.add(part(0, { key: `k${i}` }), 0)).toBe('waiting');
    expect(assemblies.add(part(0, { key: 'k4' }), 0)).toBe('busy');
    expect(assemblies.add(part(0, { key: 'k5', gw: 'other' }), 0)).toBe('waiting');
  });

  it('expires once after 5 s', () => {
    const assemblies = create();
    assemblies.add(part(0), 1_000);
    expect(assemblies.expire(6_000)).toEqual([]);
    expect(assemblies.expire(6_001)).toEqual(['k']);
    expect(assemblies.expire(6_002)).toEqual([]);
    expect(assemblies.size).toBe(0);
  });

  it('is dropped when its attempt is cancelled', () => {
    const assemblies = create();
    assemblies.add(part(0, { key: 'a' }), 0);
    assemblies.add(part(0, { key: 'b' }), 0);
    assemblies.drop((key) => key === 'a');
    expect(assemblies.size).toBe(1);
  });
});
