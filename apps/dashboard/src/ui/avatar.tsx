import type { JSX } from 'react';
import { initialsOf } from './initials.js';

/** A person or an account beside its name; screen readers skip it. */
export function Avatar({ name, className = 'size-6 text-xs' }: { readonly name: string; readonly className?: string }): JSX.Element {
  return (
    <span
      aria-hidden="true"
      className={`inline-grid shrink-0 place-items-center rounded-full border border-line bg-sunken font-medium text-muted select-none ${className}`}
    >
      {initialsOf(name)}
    </span>
  );
}
