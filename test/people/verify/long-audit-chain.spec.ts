import { expect, it } from 'vitest';
import { AuditChainStage, insertEntry } from '../audit-chain-stage.js';

const stage = AuditChainStage.around();

it('a chain of 100,000 entries is checked in parts', async () => {
  await stage.write(100_000);
  let statements = 0;
  expect(await stage.fault(() => (statements += 1))).toBeNull();
  // A page has 200 entries; a few more statements look for unsealed ones.
  expect(statements).toBeLessThan(100_000 / 200 + 20);
  expect(await stage.tampered(insertEntry('key:forged'))).toContain('not in the chain');
}, 120_000);
