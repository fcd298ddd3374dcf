import type { JSX } from 'react';

const firstOf = (word = ''): string => (word === '' ? '' : String.fromCodePoint(word.codePointAt(0) ?? 0));

/** One or two capital letters for a name or an email address; `?` for an empty one. */
export function initialsOf(name: string): string {
  const [local = ''] = name.trim().split('@');
  const words = local.split(/[\s._+-]+/).filter((word) => word !== '');
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(firstOf).join('');
  return letters.toUpperCase() || '?';
}

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
