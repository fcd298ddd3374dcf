/** What a piece of code is. */
export type PieceKind = 'plain' | 'comment' | 'keyword' | 'string' | 'value' | 'name';

export interface CodePiece {
  readonly text: string;
  readonly kind: PieceKind;
}
