import { downloadOf, type ModelSource } from '@slipway/contracts';

/** Address, query, fragment. */
const QUERIED = /^(https?:\/\/[^?#]*)(\?[^#]*)/i;

/**
 * A source as everybody may see it, and the part that may be a secret: the query of a download's address, with its
 * question mark. Signed addresses carry their tokens there.
 */
export function withoutSecret(source: ModelSource): { readonly source: ModelSource; readonly secret: string | null } {
  const [, address, query] = QUERIED.exec(downloadOf(source) ?? '') ?? [];
  if (address === undefined || query === undefined) return { source, secret: null };
  return { source: { ...source, uri: address } as ModelSource, secret: query };
}

/** The source without what may be a secret: also one that was stored before queries were sealed. */
export const publicSource = (source: ModelSource): ModelSource => withoutSecret(source).source;
