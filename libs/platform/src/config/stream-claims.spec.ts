import { describe, expect, it } from 'vitest';
import { parsePeppers } from './peppers.js';
import { StreamClaims } from './stream-claims.js';

const [OLD, NEW] = [`old:${'cd'.repeat(32)}`, `new:${'ab'.repeat(32)}`];
const claims = (peppers: string): StreamClaims => new StreamClaims(parsePeppers(peppers));
const stream = { st: 'a-stream', gw: 'gw-1', account: 1, key: 2, deployment: 3 };
const bounds = { prompt: 4_096, completion: 16 };

describe('the claim of a stream', () => {
  it('is true for it alone', () => {
    const claim = claims(NEW).make(stream, bounds);
    expect(claims(NEW).check(claim, stream)).toEqual(bounds);
    for (const other of [{ st: 'b-stream' }, { gw: 'gw-2' }, { account: 9 }, { key: 9 }, { deployment: 9 }]) {
      expect(claims(NEW).check(claim, { ...stream, ...other }), JSON.stringify(other)).toBeNull();
    }
  });

  it('cannot be made without a pepper, nor raised', () => {
    const claim = claims(NEW).make(stream, bounds);
    for (const forged of [claim.replace('4096', '9999'), claim.replace('.16.', '.17.'), `${claim}A`, claim.slice(0, -1), '', '1.1.'])
      expect(claims(NEW).check(forged, stream), forged).toBeNull();
    expect(claims(OLD).check(claim, stream)).toBeNull();
  });

  it('stays true while peppers change', () => {
    expect(claims(`${NEW},${OLD}`).check(claims(OLD).make(stream, bounds), stream)).toEqual(bounds);
  });
});
