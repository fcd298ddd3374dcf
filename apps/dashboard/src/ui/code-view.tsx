import { type JSX, useEffect, useState } from 'react';
import type { CodePiece, PieceKind } from './code-piece.js';

type Highlight = (code: string, language: string) => readonly CodePiece[] | null;

/** Longer code stays plain: colours are not worth a pause. In characters. */
const LONGEST = 20_000;

let loaded: Highlight | null = null;
const load = async (): Promise<Highlight> => (loaded ??= (await import('./highlighter.js')).highlight);

/** Code in coloured pieces; plain while the highlighter loads, where it does not know the language, and where the code is long. */
function useCodePieces(code: string, language: string | undefined): readonly CodePiece[] {
  const [highlight, setHighlight] = useState<Highlight | null>(() => loaded);
  const isWanted = language !== undefined && language !== '' && code.length <= LONGEST;
  useEffect(() => {
    if (!isWanted || highlight !== null) return undefined;
    let isGone = false;
    void load().then(
      (ready) => !isGone && setHighlight(() => ready),
      // Without the chunk, code is plain.
      () => undefined,
    );
    return () => {
      isGone = true;
    };
  }, [isWanted, highlight]);
  const pieces = isWanted && highlight !== null ? highlight(code, language) : null;
  return pieces ?? [{ text: code, kind: 'plain' }];
}

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
