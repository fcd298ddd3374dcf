import { expect, it } from 'vitest';
import { initialsOf } from './avatar.js';

it.each([
  ['Ada Lovelace', 'AL'],
  ['Ada King Lovelace', 'AL'],
  ['ada@example.com', 'A'],
  ['ada.lovelace@example.com', 'AL'],
  ['élodie', 'É'],
  ['  ', '?'],
])('the initials of "%s" are %s', (name, initials) => {
  expect(initialsOf(name)).toBe(initials);
});
