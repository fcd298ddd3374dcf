import { createHash } from 'node:crypto';
import type { SealedAuditEntry } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { ChainCheck, type ChainHead } from './audit-chain.js';

function chain(...texts: string[]): SealedAuditEntry[] {
  let last = Buffer.alloc(0);
  return texts.map((text, i) => {
    last = createHash('sha256').update(last).update(text).digest();
    return { seq: i + 1, hash: last.toString('hex'), text };
  });
}

function fault(
  entries: readonly SealedAuditEntry[],
  { unsealed = [], anchor = null }: { unsealed?: number[]; anchor?: ChainHead | null } = {},
) {
  const check = new ChainCheck(anchor);
  for (const entry of entries) check.take(entry);
  return check.fault(unsealed);
}

describe('a chain of audit entries', () => {
  const whole = chain('[1, "a"]', '[2, "b"]', '[3, "ü"]');
  const [first, second, third] = whole as [SealedAuditEntry, SealedAuditEntry, SealedAuditEntry];

  it('has no fault when complete or empty', () => {
    expect(fault(whole)).toBeNull();
    expect(fault([])).toBeNull();
  });

  it.each([
    ['changed', [first, { ...second, text: '[2, "x"]' }, third], 'Entry 2 was changed'],
    ['emptied', [first, { ...second, text: null }, third], 'entry 2 was taken away'],
    ['taken out', [first, third], 'Entry 2 of the chain is missing'],
    ['put first', [second, third], 'Entry 1 of the chain is missing'],
    ['hashed anew alone', [first, { ...second, text: '[2, "x"]', hash: chain('[1, "a"]', '[2, "x"]')[1]?.hash ?? '' }, third], 'Entry 3'],
  ])('reports an entry that was %s', (_, entries, words) => {
    expect(fault(entries)).toContain(words);
  });

  it('reports entries outside the chain', () => {
    expect(fault(whole, { unsealed: [9] })).toContain('9');
  });

  it('reports a rewritten or shortened chain', () => {
    expect(fault(whole, { anchor: { seq: 2, hash: second.hash } })).toBeNull();
    expect(fault(chain('[1, "x"]', '[2, "b"]'), { anchor: { seq: 2, hash: second.hash } })).toContain('made anew');
    expect(fault([first], { anchor: { seq: 2, hash: second.hash } })).toContain('taken away');
  });
});
