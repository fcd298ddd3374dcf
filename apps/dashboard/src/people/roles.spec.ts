import { expect, it } from 'vitest';
import { roleLabel, seatsOf } from './roles.js';

it('seats are counted by role, roles without people too', () => {
  expect(seatsOf([{ role: 'owner' }, { role: 'viewer' }, { role: 'viewer' }])).toEqual([
    { label: 'Owners', count: 1 },
    { label: 'Members', count: 0 },
    { label: 'Viewers', count: 2 },
  ]);
  expect(roleLabel('member')).toBe('Member');
});
