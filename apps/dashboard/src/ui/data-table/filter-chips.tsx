import type { JSX } from 'react';
import { Icon } from '../icon.js';

export interface Chip {
  readonly id: string;
  readonly title: string;
  readonly value: string;
  readonly onRemove: () => void;
}

/** The filters in force, each of which can be taken back. */
export function FilterChips({ chips, onClear }: { readonly chips: readonly Chip[]; readonly onClear: () => void }): JSX.Element {
  return (
    <ul aria-label="Filters" className="flex flex-wrap items-center gap-2">
      {chips.map(({ id, title, value, onRemove }) => (
        <li key={id} className="flex h-7 max-w-72 items-center rounded-md bg-accent-soft pl-2 text-sm">
          <span className="shrink-0 text-muted">{title}:&nbsp;</span>
          <span title={value} className="min-w-0 truncate">
            {value}
          </span>
          <button
            type="button"
            aria-label={`Remove ${title}: ${value}`}
            onClick={onRemove}
            className="grid size-7 shrink-0 place-items-center rounded-md text-muted hover:text-ink pointer-coarse:size-11"
          >
            <Icon name="close" className="size-3.5" />
          </button>
        </li>
      ))}
      <li>
        <button type="button" onClick={onClear} className="h-7 rounded-md px-2 text-sm text-accent hover:bg-sunken pointer-coarse:h-11">
          Clear
        </button>
      </li>
    </ul>
  );
}
