import { describe, expect, it } from 'vitest';
import { layoutOf, pageOf } from './layout.js';
import { compareValues, fitsChoice, searchTextOf, wordsOf } from './table-model.js';
import type { Column } from './types.js';
import { toggledColumns, visibleColumns } from './view-menu.js';

interface Item {
  readonly name: string;
  readonly size: number;
}
const COLUMNS: readonly Column<Item>[] = [
  { id: 'name', title: 'Name', cell: ({ name }) => name, value: ({ name }) => name },
  { id: 'size', title: 'Size', cell: ({ size }) => size, value: ({ size }) => size, numeric: true },
  { id: 'more', title: 'More', cell: () => '', hidden: true },
];
const idsOf = (columns: readonly Column<Item>[]): string[] => columns.map(({ id }) => id);

describe('pages', () => {
  it.each([
    [1, '50', 120, { page: 1, pages: 3, start: 0, end: 50 }],
    [3, '50', 120, { page: 3, pages: 3, start: 100, end: 120 }],
    [999, '50', 120, { page: 3, pages: 3, start: 100, end: 120 }],
    [-4, '25', 120, { page: 1, pages: 5, start: 0, end: 25 }],
    [2, 'all', 120, { page: 1, pages: 1, start: 0, end: 120 }],
    [1, 'all', 0, { page: 1, pages: 1, start: 0, end: 0 }],
  ] as const)('page %i of %s rows each, of %i rows', (page, size, rows, expected) => {
    expect(pageOf(page, size, rows)).toEqual(expected);
  });
});

describe('columns', () => {
  it('are at least as wide as they ask, and share what is left', () => {
    expect(layoutOf([{}, { numeric: true }, { width: 300 }], { select: true, actions: true })).toEqual({
      template: '40px minmax(200px, 200fr) minmax(88px, 88fr) minmax(300px, 300fr) 48px',
      minWidth: 676,
    });
  });

  it('are those that a table shows by default, or those chosen', () => {
    expect(idsOf(visibleColumns(COLUMNS, []))).toEqual(['name', 'size']);
    expect(idsOf(visibleColumns(COLUMNS, ['more']))).toEqual(['name', 'more']);
    expect(idsOf(visibleColumns(COLUMNS, ['gone']))).toEqual(['name', 'size']);
  });

  it('leave the address when they are the default again', () => {
    const more = toggledColumns(COLUMNS, [], 'more');
    expect(more).toEqual(['name', 'size', 'more']);
    expect(toggledColumns(COLUMNS, more, 'more')).toEqual([]);
  });
});

describe('rows', () => {
  it('are found by all words of a search, whatever their case', () => {
    expect(wordsOf('  Web  SITE ')).toEqual(['web', 'site']);
    expect(searchTextOf(COLUMNS, { name: 'Website', size: 47 })).toBe('website\n\n');
  });

  it('are sorted by number, and texts as people count', () => {
    expect([10, 9, 100].toSorted(compareValues)).toEqual([9, 10, 100]);
    expect(['key 10', 'Key 9', 'key 100'].toSorted(compareValues)).toEqual(['Key 9', 'key 10', 'key 100']);
  });
});

it('rows of a hidden value come back when it is chosen', () => {
  const hidden = ['revoked'];
  expect(fitsChoice(['revoked'], { chosen: [], hidden })).toBe(false);
  expect(fitsChoice(['active'], { chosen: [], hidden })).toBe(true);
  expect(fitsChoice(['revoked'], { chosen: ['revoked', 'expired'], hidden })).toBe(true);
  expect(fitsChoice(['active'], { chosen: ['revoked'], hidden })).toBe(false);
});
