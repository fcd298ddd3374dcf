import type { JSX, ReactNode } from 'react';
import { Icon } from './icon.js';

const LOOKS = {
  info: 'bg-accent-soft text-ink border-accent',
  good: 'bg-good-soft text-ink border-good',
  warn: 'bg-warn-soft text-ink border-warn',
  bad: 'bg-bad-soft text-ink border-bad',
} as const;
const ICONS = { info: 'clock', good: 'check', warn: 'warning', bad: 'failed' } as const;

export interface NoticeProps {
  readonly look: keyof typeof LOOKS;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Something that people should read before they go on. */
export function Notice({ look, children, action }: NoticeProps): JSX.Element {
  return (
    <div
      role={look === 'bad' ? 'alert' : 'status'}
      className={`flex flex-wrap items-center gap-3 rounded-md border-l-4 px-3 py-2.5 text-sm ${LOOKS[look]}`}
    >
      <Icon name={ICONS[look]} className="size-4 self-start mt-0.5" />
      <div className="min-w-0 flex-1 basis-48">{children}</div>
      {action}
    </div>
  );
}
