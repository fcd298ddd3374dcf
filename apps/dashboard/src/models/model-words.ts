import type { ModelSource } from '@slipway/contracts';

/** Kinds of sources as people read them. */
export const SOURCE_WORDS: Readonly<Record<ModelSource['kind'], string>> = { file: 'On the workers', download: 'Download', http: 'Engine' };

/** Where a model is: a path on the workers, a URL, or an engine and the model's name there. */
export function addressOf(source: ModelSource): string {
  if (source.kind === 'file') return source.path;
  return source.kind === 'download' ? source.uri : `${source.url} ${source.model}`;
}
