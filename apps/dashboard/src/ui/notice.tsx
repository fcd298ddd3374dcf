import type { JSX, ReactNode } from 'react';
import { Icon } from './icon.js';

const LOOKS = {
  info: ['border-line bg-sunken', 'info', 'text-muted'],
  good: ['border-good/30 bg-good-soft', 'good', 'text-good'],
  warn: ['border-warn/30 bg-warn-soft', 'warning', 'text-warn'],
  bad: ['border-bad/30 bg-bad-soft', 'failed', 'text-bad'],
} as const;

export interface NoticeProps {
  readonly look: keyof typeof LOOKS;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}

/** Something that people should read before they go on. */
export function Notice({ look, children, action }: NoticeProps): JSX.Element {
  const [frame, icon, ink] = LOOKS[look];
  return (
    <div
      role={look === 'bad' ? 'alert' : 'status'}
      className={`flex flex-wrap items-center gap-x-2.5 gap-y-2 rounded-md border px-3 py-2 text-sm ${frame}`}
    >
      <Icon name={icon} className={`size-4 ${action === undefined ? 'mt-px self-start' : ''} ${ink}`} />
      <div className="min-w-0 flex-1 basis-48">{children}</div>
      {action}
    </div>
  );
}
