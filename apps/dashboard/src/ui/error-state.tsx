import type { JSX } from 'react';
import { ConsoleError, codeOf, messageOf } from '../api/console-error.js';
import { Button } from './button.js';
import { CopyIcon } from './copy-button.js';
import { Icon } from './icon.js';

export interface ErrorStateProps {
  readonly error: unknown;
  /** Absent where another try cannot help. */
  readonly onRetry?: () => void;
  readonly busy?: boolean;
}

/** What is shown in place of what could not be loaded: why, the code, and the request to look up. */
export function ErrorState({ error, onRetry, busy = false }: ErrorStateProps): JSX.Element {
  const request = error instanceof ConsoleError ? error.request : null;
  return (
    <div role="alert" className="grid justify-items-center gap-3 rounded-lg border border-line bg-surface px-4 py-10 text-center">
      <Icon name="failed" className="size-6 text-bad" />
      <p className="max-w-[60ch]">{messageOf(error)}</p>
      <p className="flex flex-wrap items-center justify-center gap-x-2 text-xs text-muted">
        <code>{codeOf(error)}</code>
        {request !== null && (
          <span className="inline-flex items-center">
            <code>{request}</code>
            <CopyIcon text={request} />
          </span>
        )}
      </p>
      {onRetry && (
        <Button icon="refresh" busy={busy} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
