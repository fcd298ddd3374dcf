const DIMENSIONS = /^dimensions:(\d{1,6})$/;

/** The word by which an engine reports how many numbers its embeddings have. */
export const dimensionsWord = (dimensions: number): string => `dimensions:${dimensions}`;

/** Numbers of an embedding, by the words of an engine; null = it reported none. */
export function dimensionsIn(caps: readonly string[]): number | null {
  for (const word of caps) {
    const found = DIMENSIONS.exec(word)?.[1];
    if (found !== undefined) return Number(found);
  }
  return null;
}

/**
 * What a deployment does: `embeddings`, or `chat`, which any engine does that does not report `embed`. An engine
 * that does reports `matryoshka` too where the first numbers of a vector are a vector.
 */
export type DeploymentTask = 'chat' | 'embeddings';
/** What a deployment does, by the words of its engine; null = no engine has reported. */
export function taskOf(caps: readonly string[]): DeploymentTask | null {
  if (caps.length === 0) return null;
  return caps.includes('embed') ? 'embeddings' : 'chat';
}
