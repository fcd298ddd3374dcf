import { expect, it } from 'vitest';
import { fields, printable, table, tableOr } from './table.js';

it('columns fit their widest cell without trailing spaces', () => {
  expect(
    table(
      ['ID', 'NAME', 'STATE'],
      [
        [1, 'a long name', 'ready'],
        [12, null, ''],
      ],
    ),
  ).toBe(['ID  NAME         STATE', '1   a long name  ready', '12  -            -'].join('\n'));
});

it('a table without rows is a sentence', () => {
  expect(tableOr('No keys.', ['ID'], [])).toBe('No keys.');
  expect(tableOr('No keys.', ['ID'], [[1]])).toBe('ID\n1');
});

it('fields without a value are left out', () => {
  expect(
    fields([
      ['Name', 'demo'],
      ['Context', null],
      ['Aliases', ''],
      ['Id', 0],
    ]),
  ).toBe('Name  demo\nId    0');
});

it('control characters are replaced', () => {
  expect(printable('a\u001B[2Jb\rc\u202Ed')).toBe('a\uFFFD[2Jb\uFFFDc\uFFFDd');
  expect(table(['X'], [['\u001B]0;title\u0007']])).toBe('X\n\uFFFD]0;title\uFFFD');
});
