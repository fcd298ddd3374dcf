import type { ModelSource } from '@slipway/contracts';

const lastOf = (path: string): string => path.split('/').findLast((part) => part !== '') ?? path;

/** A model in a few words, for lists. */
export function modelName(source: ModelSource): string {
  if (source.kind === 'http') return source.model;
  return lastOf(source.kind === 'file' ? source.path : source.uri.replace(/[?#].*$/, ''));
}

/** Where a model comes from, whole. */
export function sourceText(source: ModelSource): string {
  if (source.kind === 'http') return `${source.model} at ${source.url}`;
  return source.kind === 'file' ? source.path : source.uri;
}
