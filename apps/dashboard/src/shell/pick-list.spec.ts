import { describe, expect, it } from 'vitest';
import { fit, narrowed, type Pick } from './pick-list.js';

const pick = (label: string, hint?: string): Pick => ({ id: label, label, run: () => undefined, ...(hint !== undefined && { hint }) });
const group = (value: string, ...labels: string[]) => ({ value, items: labels.map((label) => pick(label)) });

describe('what is typed', () => {
  it.each([
    ['usa', pick('Usage'), 3],
    ['USA', pick('Usage'), 3],
    ['keys', pick('API Keys'), 2],
    ['assistant', pick('Demo', 'deployment-1 assistant'), 2],
    ['2', pick('Demo', 'deployment-2'), 2],
    ['age', pick('Usage'), 1],
    ['keys api', pick('API Keys'), 2],
    ['keys web', pick('API Keys'), 0],
    ['', pick('Usage'), 3],
  ])('fits by how it begins: %s', (typed, entry, expected) => {
    expect(fit(entry, typed)).toBe(expected);
  });
});

describe('a narrowed list', () => {
  it('keeps the order of groups until something is typed', () => {
    expect(narrowed([group('Screens', 'Home', 'Usage'), group('Actions', 'Sign out')], '').map(({ value }) => value)).toEqual([
      'Screens',
      'Actions',
    ]);
  });

  it('puts the best entry and its group first', () => {
    const found = narrowed([group('Screens', 'Data sets', 'Settings'), group('Deployments', 'set-top', 'reset')], 'set');
    expect(found.map(({ items }) => items.map(({ label }) => label))).toEqual([
      ['Settings', 'Data sets'],
      ['set-top', 'reset'],
    ]);
  });

  it('leaves out groups in which nothing fits', () => {
    expect(narrowed([group('Screens', 'Home'), group('Keys', 'web')], 'web').map(({ value }) => value)).toEqual(['Keys']);
  });

  it('draws 12 entries of a group at most, the best ones', () => {
    const many = Array.from({ length: 500 }, (_, n) => `old website-${n}`);
    const [found] = narrowed([group('Keys', ...many, 'website')], 'website');
    expect(found?.items).toHaveLength(12);
    expect(found?.items[0]?.label).toBe('website');
  });
});
