import { useEffect, useState } from 'react';
import type { CodePiece } from './code-piece.js';

type Highlight = (code: string, language: string) => readonly CodePiece[] | null;

/** Longer code stays plain: colours are not worth a pause. In characters. */
const LONGEST = 20_000;

let loaded: Highlight | null = null;
const load = async (): Promise<Highlight> => (loaded ??= (await import('./highlighter.js')).highlight);

/** Code in coloured pieces; plain while the highlighter loads, where it does not know the language, and where the code is long. */
export function useCodePieces(code: string, language: string | undefined): readonly CodePiece[] {
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
