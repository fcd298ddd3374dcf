import type { JSX } from 'react';
import { Icon, type IconName } from './icon.js';

const LOOKS = {
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-bad-soft text-bad',
  plain: 'bg-sunken text-muted',
  busy: 'bg-accent-soft text-accent',
} as const;

export type BadgeLook = keyof typeof LOOKS;

/** A state: picture and word, never colour alone. */
export function Badge({ look, icon, text }: { readonly look: BadgeLook; readonly icon: IconName; readonly text: string }): JSX.Element {
  return (
    <span className={`inline-flex items-center gap-1.5 rounded-full px-2.5 py-0.5 text-sm font-medium whitespace-nowrap ${LOOKS[look]}`}>
      <Icon name={icon} className={`size-3.5 ${icon === 'spinner' ? 'animate-spin' : ''}`} />
      {text}
    </span>
  );
}
