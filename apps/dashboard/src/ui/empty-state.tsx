import type { JSX, ReactNode } from 'react';
import { Button } from './button.js';
import { CopyIcon } from './copy-button.js';
import { Icon, type IconName } from './icon.js';

export interface EmptyStateProps {
  readonly title: string;
  readonly icon?: IconName;
  /** One sentence. */
  readonly children: ReactNode;
  /** The way to the first one. */
  readonly action?: ReactNode;
  /** Page of the documentation. */
  readonly docs?: string;
  /** A line for the terminal that does the same. */
  readonly command?: string;
}

/** What is shown where there is nothing yet. */
export function EmptyState({ title, icon = 'box', children, action, docs, command }: EmptyStateProps): JSX.Element {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] content-center justify-items-center gap-3 rounded-lg border border-line bg-surface px-4 py-12 text-center">
      <Picture icon={icon} />
      <div className="grid gap-1">
        <h2 className="font-semibold">{title}</h2>
        <div className="mx-auto max-w-[60ch] text-muted">{children}</div>
      </div>
      {(action !== undefined || docs !== undefined) && (
        <div className="flex flex-wrap items-center justify-center gap-3">
          {action}
          {docs !== undefined && (
            <a href={docs} target="_blank" rel="noreferrer" className="inline-flex items-center gap-1 text-sm text-accent hover:underline">
              Read the docs <Icon name="external" className="size-3.5" />
            </a>
          )}
        </div>
      )}
      {command !== undefined && (
        <div className="flex max-w-full items-center gap-1 rounded-md border border-line bg-sunken py-0.5 pr-0.5 pl-3">
          <code className="min-w-0 truncate text-code">{command}</code>
          <CopyIcon text={command} />
        </div>
      )}
    </div>
  );
}

/** The icon on a stack of empty rows. */
function Picture({ icon }: { readonly icon: IconName }): JSX.Element {
  return (
    <div aria-hidden="true" className="relative mb-1 grid h-16 w-24 place-items-center">
      <svg viewBox="0 0 96 64" className="absolute inset-0 text-rim" fill="none" stroke="currentColor">
        <rect x="8.5" y="4.5" width="79" height="15" rx="4" opacity="0.5" />
        <rect x="8.5" y="24.5" width="79" height="15" rx="4" />
        <rect x="8.5" y="44.5" width="79" height="15" rx="4" opacity="0.5" />
      </svg>
      <span className="relative grid size-10 place-items-center rounded-lg border border-rim bg-raised text-muted">
        <Icon name={icon} className="size-5" />
      </span>
    </div>
  );
}

/** What is shown where filters leave nothing of what there is. */
export function NothingMatches({ onClear }: { readonly onClear: () => void }): JSX.Element {
  return (
    <div className="grid content-center justify-items-center gap-3 rounded-lg border border-line bg-surface px-4 py-10 text-center">
      <p className="text-muted">Nothing matches the search and filters.</p>
      <Button icon="close" onClick={onClear}>
        Clear filters
      </Button>
    </div>
  );
}
