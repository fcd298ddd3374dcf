import type { JSX } from 'react';

const IS_MAC = typeof navigator !== 'undefined' && /Mac|iP(?:hone|ad)/.test(navigator.userAgent);
const WORDS: Readonly<Record<string, string>> = {
  mod: IS_MAC ? '⌘' : 'Ctrl',
  shift: '⇧',
  alt: IS_MAC ? '⌥' : 'Alt',
  enter: '↵',
  esc: 'Esc',
  up: '↑',
  down: '↓',
};

/** Keys to press: `mod+k` at once, `g d` one after the other. */
export function Kbd({ keys }: { readonly keys: string }): JSX.Element {
  return (
    <span className="inline-flex shrink-0 items-center gap-1">
      {keys.split(/[+ ]/).map((key, at) => (
        <kbd key={at} className="min-w-5 rounded-sm border border-line bg-sunken px-1 text-center text-xs text-muted">
          {WORDS[key] ?? key.toUpperCase()}
        </kbd>
      ))}
    </span>
  );
}
