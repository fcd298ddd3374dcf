import type { JSX } from 'react';
import { CopyButton } from './copy-button.js';

/** Text to be pasted elsewhere. */
export function CodeBlock({ label, text }: { readonly label: string; readonly text: string }): JSX.Element {
  return (
    <figure className="min-w-0 rounded-lg border border-line bg-sunken">
      <figcaption className="flex items-center justify-between gap-2 border-b border-line py-1 pr-1 pl-3 text-sm text-muted">
        <span className="min-w-0 truncate">{label}</span>
        <CopyButton text={text} look="quiet" />
      </figcaption>
      <pre role="region" aria-label={label} className="p-3 font-mono text-[0.8125rem] leading-relaxed wrap-anywhere whitespace-pre-wrap">
        <code>{text}</code>
      </pre>
    </figure>
  );
}
