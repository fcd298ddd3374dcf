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

/** Who made each row. Not shown until somebody chooses it. */
export const creatorColumn = <T extends { readonly created_by: { readonly actor_name: string | null } }>(): Column<T> => ({
  id: 'creator',
  title: 'Created by',
  cell: ({ created_by: by }) => <Truncated text={by.actor_name ?? ''} />,
  value: ({ created_by: by }) => by.actor_name ?? '',
  width: 130,
  hidden: true,
});
