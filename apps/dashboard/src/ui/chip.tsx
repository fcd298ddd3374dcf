import type { JSX } from 'react';
import { Icon } from './icon.js';

export interface ChipProps {
  readonly text: string;
  /** Absent: it cannot be removed. */
  readonly onRemove?: () => void;
  readonly mono?: boolean;
}

/** A short word among others: an alias, a filter. */
export function Chip({ text, onRemove, mono = false }: ChipProps): JSX.Element {
  return (
    <span
      className={`inline-flex h-6 max-w-full min-w-0 items-center rounded-sm border border-line bg-sunken pl-2 text-xs ${onRemove ? '' : 'pr-2'}`}
    >
      <span title={text} className={`truncate ${mono ? 'font-mono' : ''}`}>
        {text}
      </span>
      {onRemove && (
        <button
          type="button"
          aria-label={`Remove ${text}`}
          onClick={onRemove}
          className="grid size-6 shrink-0 place-items-center rounded-sm text-muted transition-colors hover:text-ink"
        >
          <Icon name="close" className="size-3" />
        </button>
      )}
    </span>
  );
}
