import type { JSX } from 'react';
import { Icon } from './icon.js';

const DOTS = {
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  plain: 'bg-edge',
  busy: 'bg-accent',
} as const;

export type StatusLook = keyof typeof DOTS;

/** The dot alone, where the word stands elsewhere. */
export function StatusMark({ look }: { readonly look: StatusLook }): JSX.Element {
  return <span aria-hidden="true" className={`size-2 shrink-0 rounded-full ${DOTS[look]} ${look === 'busy' ? 'animate-pulse' : ''}`} />;
}

/** A state: a dot and its word. Failure alone is a filled pill, so that it stands out of a long list. */
export function Status({ look, text }: { readonly look: StatusLook; readonly text: string }): JSX.Element {
  if (look === 'bad') {
    return (
      <span className="inline-flex items-center gap-1.5 rounded-full bg-bad-soft px-2 py-0.5 text-sm font-medium whitespace-nowrap text-bad">
        <Icon name="failed" className="size-3.5" />
        {text}
      </span>
    );
  }
  return (
    <span className="inline-flex items-center gap-2 text-sm whitespace-nowrap">
      <StatusMark look={look} />
      {text}
    </span>
  );
}
