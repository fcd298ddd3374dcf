import { KeyId, type KeyView, formatKey } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import { keyName, pickKey } from './find-key.js';

const aKey = (id: number, name: string, state: KeyView['state'] = 'active', hint = `svc_dep_K${id}`): KeyView => ({
  id: KeyId.parse(id),
  name,
  hint,
  state,
  created_at: '2026-01-01T00:00:00Z',
});

const pick = (keys: KeyView[], text: string): number => pickKey(keys, text, 'acme').id;

describe('a key is found', () => {
  const keys = [aKey(1, 'ci'), aKey(2, 'nightly'), aKey(3, 'twin'), aKey(4, 'twin'), aKey(5, 'ci', 'revoked')];

  it.each([
    ['its id', '2', 2],
    ['its name', 'nightly', 2],
    ['its hint', 'svc_dep_K2', 2],
    ['its hint as lists show it', 'svc_dep_K2…', 2],
    ['a name that only revoked ones share with it', 'ci', 1],
    ['its id though it is revoked', '5', 5],
  ])('by %s', (_, text, id) => {
    expect(pick(keys, text)).toBe(id);
  });

  it('by a revoked key’s name if unique', () => {
    expect(pick([aKey(5, 'old', 'revoked')], 'old')).toBe(5);
  });

  it('not by an ambiguous name or number', () => {
    expect(() => pick(keys, 'twin')).toThrow('"twin" may be any of these keys, name one by its id: 3 (twin, svc_dep_K3…, active), 4');
    expect(() => pick([aKey(1, '2'), aKey(2, 'x')], '2')).toThrow('may be any of these keys');
  });

  it('not if it does not exist', () => {
    expect(() => pick(keys, '99')).toThrow('There is no key "99" in account acme.');
  });
});

it('a whole key is refused as name', () => {
  const value = formatKey('dep', new Uint8Array(32).fill(7));
  expect(() => keyName(value)).toThrow('never by its value');
  expect(keyName('svc_dep_Ab12')).toBe('svc_dep_Ab12');
});
