import { expect, it } from 'vitest';
import { UndoneRevocations } from './undone-revocations.js';

type Entry = Parameters<UndoneRevocations['take']>[0];

const HEAD = { seq: 2, hash: 'b'.repeat(64) };
const entry = (seq: number, action: string, object: string, more: Partial<Entry> = {}): Entry => ({
  ...{ log: 'keys', seq, hash: seq === HEAD.seq ? HEAD.hash : 'a'.repeat(64), at: '2027-01-01T00:00:00.000Z', account: 3 },
  ...{ action, object, object_name: 'ci' },
  ...more,
});

function advice(...entries: readonly Entry[]): string[] {
  const undone = new UndoneRevocations(HEAD);
  for (const one of entries) undone.take(one);
  return undone.list.map((one) => one.advice);
}

it('lists what was revoked after the backup, with the command', () => {
  const account = entry(1, 'account.create', 'account:3', { object_name: 'acme' });
  expect(advice(account, entry(2, 'key.revoke', 'key:1'), entry(3, 'key.revoke', 'key:2'), entry(4, 'mcp_key.rotate', 'key:5'))).toEqual([
    'npx slipway keys revoke 2 --account acme',
    'npx slipway keys mcp rotate --account acme',
  ]);
});

it('leaves out keys that the backup does not hold', () => {
  expect(advice(entry(3, 'key.create', 'key:9'), entry(4, 'key.rotate', 'key:9'), entry(5, 'key.revoke', 'key:9'))).toEqual([]);
});

it('lists a key that was rotated and then revoked once', () => {
  expect(advice(entry(3, 'key.rotate', 'key:2'), entry(4, 'key.rotate', 'key:2'), entry(5, 'key.revoke', 'key:2'))).toEqual([
    'npx slipway keys revoke 2 --account …',
  ]);
});

it('refuses the export of another log', () => {
  expect(() => advice(entry(2, 'key.revoke', 'key:1', { hash: 'c'.repeat(64) }))).toThrow('not the same log');
});
