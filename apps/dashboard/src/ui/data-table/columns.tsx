import { Moment } from '../moment.js';
import { Truncated } from './truncated.js';
import type { Column } from './types.js';

/** A column of moments, newest first. @param id of the column, such as `created` */
export const momentColumn = <T,>(id: string, title: string, at: (row: T) => string): Column<T> => ({
  id,
  title,
  cell: (row) => <Moment at={at(row)} />,
  value: (row) => Date.parse(at(row)),
  numeric: true,
});

/** Who made each row. Not shown until somebody chooses it. @param nameOf what somebody is called */
export const creatorColumn = <By, T extends { readonly created_by: By }>(nameOf: (by: By) => string): Column<T> => ({
  id: 'creator',
  title: 'Created by',
  cell: ({ created_by: by }) => <Truncated text={nameOf(by)} />,
  value: ({ created_by: by }) => nameOf(by),
  width: 130,
  hidden: true,
});
