import { createHmac, hkdfSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parsePeppers } from './peppers.js';
import { StreamClaims } from './stream-claims.js';

const [OLD, NEW] = [`old:${'cd'.repeat(32)}`, `new:${'ab'.repeat(32)}`];
const claims = (peppers: string): StreamClaims => new StreamClaims(parsePeppers(peppers));
const stream = { st: 'a-stream', gw: 'gw-1', account: 1, key: 2, deployment: 3 };
const bounds = { prompt: 4_096, completion: 16, started: 1_790_000_000_000 };

/** A claim of a gateway older than versions. */
function firstClaim(pepper: string): string {
  const key = Buffer.from(hkdfSync('sha256', parsePeppers(pepper)[0]!.secret, '', 'slipway stream claim', 32));
  const text = JSON.stringify([stream.st, stream.gw, stream.account, stream.key, stream.deployment, 4_096, 16]);
  return `4096.16.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

describe('StreamClaims', () => {
  it('makes claims valid for one stream', () => {
    const claim = claims(NEW).make(stream, bounds);
    expect(claims(NEW).check(claim, stream)).toEqual(bounds);
    for (const other of [{ st: 'b-stream' }, { gw: 'gw-2' }, { account: 9 }, { key: 9 }, { deployment: 9 }]) {
      expect(claims(NEW).check(claim, { ...stream, ...other }), JSON.stringify(other)).toBeNull();
    }
  });

  it('rejects forged claims', () => {
    const claim = claims(NEW).make(stream, bounds);
    const moved = [claim.replace('.1790', '.1791'), claim.replace('v2.1790000000000.', ''), claim.replace('v2.', '')];
    const raised = [claim.replace('4096', '9999'), claim.replace('.16.', '.17.')];
    for (const forged of [...moved, ...raised, `${claim}A`, claim.slice(0, -1), `v2.1.${firstClaim(NEW)}`, '', '1.1.'])
      expect(claims(NEW).check(forged, stream), forged).toBeNull();
    expect(claims(OLD).check(claim, stream)).toBeNull();
  });

  it('accepts claims while peppers change', () => {
    expect(claims(`${NEW},${OLD}`).check(claims(OLD).make(stream, bounds), stream)).toEqual(bounds);
  });

  it('reads older claims without a time', () => {
    expect(claims(NEW).check(firstClaim(NEW), stream)).toEqual({ ...bounds, started: null });
  });

  it('makes claims that always fit a start', () => {
    const most = Number.MAX_SAFE_INTEGER;
    const claim = claims(NEW).make(stream, { prompt: most, completion: most, started: most });
    expect(claim.length).toBeLessThan(200);
    expect(claims(NEW).check(claim, stream)).not.toBeNull();
  });
});
