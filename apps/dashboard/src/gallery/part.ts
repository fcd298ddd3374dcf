import type { ComponentType } from 'react';

/** A part of the dashboard in every state that it has. A file `NAME.part.tsx` in this folder exports one as its default. */
export interface Part {
  /** Heading in the gallery: "Buttons". */
  readonly title: string;
  readonly Examples: ComponentType;
}
