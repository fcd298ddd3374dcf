import type { JSX } from 'react';
import type { PieceKind } from './code-piece.js';
import { useCodePieces } from './code-pieces.js';

const LOOKS: Readonly<Record<PieceKind, string | undefined>> = {
  plain: undefined,
  comment: 'text-muted italic',
  keyword: 'text-accent',
  string: 'text-good',
  value: 'text-warn',
  name: 'font-medium',
};

export interface CodeViewProps {
  /** Accessible name of the region. */
  readonly label: string;
  readonly text: string;
  /** As code fences name it; absent = plain text. */
  readonly language?: string;
  /** Long lines go on below instead of beyond the edge. */
  readonly isWrapped?: boolean;
}

/** Code in colours, which scrolls by itself. */
export function CodeView({ label, text, language, isWrapped = false }: CodeViewProps): JSX.Element {
  const pieces = useCodePieces(text, language);
  return (
    <pre
      role="region"
      aria-label={label}
      tabIndex={0}
      className={`max-h-[32rem] overflow-auto p-3 font-mono text-code ${isWrapped ? 'wrap-anywhere whitespace-pre-wrap' : 'whitespace-pre'}`}
    >
      <code>
        {pieces.map(({ text: piece, kind }, index) =>
          kind === 'plain' ? (
            piece
          ) : (
            <span key={index} className={LOOKS[kind]}>
              {piece}
            </span>
          ),
        )}
      </code>
    </pre>
  );
}
