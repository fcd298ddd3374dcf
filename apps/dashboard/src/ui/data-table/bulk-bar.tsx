import type { JSX } from 'react';
import { formatCount } from '../../format/number.js';
import { Button } from '../button.js';
import type { BulkAction } from './types.js';

export interface BulkBarProps<T> {
  readonly selected: readonly T[];
  /** Rows that match, on all pages. */
  readonly matching: number;
  readonly actions: readonly BulkAction<T>[];
  readonly onSelectAll: () => void;
  readonly onClear: () => void;
}

/** What can be done with the selected rows. Rows that a filter hides are not among them. */
export function BulkBar<T>({ selected, matching, actions, onSelectAll, onClear }: BulkBarProps<T>): JSX.Element {
  return (
    <div role="region" aria-label="Selection" className="flex flex-wrap items-center gap-2 rounded-md bg-accent-soft px-3 py-1.5 text-sm">
      <span role="status" className="mr-auto font-medium tabular-nums">
        {formatCount(selected.length)} selected
      </span>
      {selected.length < matching && (
        <Button look="quiet" onClick={onSelectAll}>
          Select all {formatCount(matching)} matching
        </Button>
      )}
      {actions.map(({ label, onSelect, danger = false, disabled }) => (
        <Button
          key={label}
          disabled={disabled?.(selected) ?? false}
          className={danger ? 'text-bad' : ''}
          onClick={() => onSelect(selected, onClear)}
        >
          {label}
        </Button>
      ))}
      <Button look="quiet" onClick={onClear}>
        Clear selection
      </Button>
    </div>
  );
}
