import type { JSX } from 'react';

/** Characters that a name cut in its middle keeps at its end: enough for `.Q4_K_M.gguf`. */
const TAIL = 12;

export interface TruncatedProps {
  readonly text: string;
  /** `middle`: models and paths, whose ends tell them apart. */
  readonly cut?: 'end' | 'middle';
  readonly className?: string;
}

/** A text on one line, however long it is; all of it on hover, to screen readers and when it is copied. */
export function Truncated({ text, cut = 'end', className = '' }: TruncatedProps): JSX.Element {
  if (cut === 'end' || text.length <= 2 * TAIL) {
    return (
      <span title={text} className={`block min-w-0 truncate ${className}`}>
        {text}
      </span>
    );
  }
  return (
    <span title={text} className={`relative flex min-w-0 ${className}`}>
      <span className="sr-only">{text}</span>
      <span aria-hidden="true" className="min-w-0 truncate whitespace-pre select-none">
        {text.slice(0, -TAIL)}
      </span>
      <span aria-hidden="true" className="shrink-0 whitespace-pre select-none">
        {text.slice(-TAIL)}
      </span>
    </span>
  );
}
