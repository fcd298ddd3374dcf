import { engineFacts } from './engine-kinds.js';

/** The engine that loads a model, with its options: a text each, or a list of texts. */
interface Chosen {
  readonly kind: string;
  readonly options?: Readonly<Record<string, string | readonly string[]>> | undefined;
}

interface Choosing {
  readonly engine?: Chosen | undefined;
}

interface File extends Choosing {
  readonly kind: 'file';
  readonly path: string;
}
interface Download extends Choosing {
  readonly kind: 'download';
  readonly uri: string;
}
interface Server extends Choosing {
  readonly kind: 'http';
  readonly url: string;
  readonly model: string;
}
type Source = File | Download | Server;

/** Path of a model file on the workers; null for a source that is none. */
export const fileOf = (source: Source): string | null => (source.kind === 'file' ? source.path : null);

/** Address of a download, an https URL or `hf:user/repo/file.gguf`; null for a source that is none. */
export const downloadOf = (source: Source): string | null => (source.kind === 'download' ? source.uri : null);

/** Base address of a server and the model's name there; null for a source that is none. */
export const serverOf = (source: Source): { readonly url: string; readonly model: string } | null =>
  source.kind === 'http' ? { url: source.url, model: source.model } : null;

/** A download's address with its query, which travels beside it because it may be a secret; null for other sources. */
export const withQuery = <S extends Source>(source: S, query: string): S | null =>
  source.kind === 'download' ? { ...source, uri: source.uri + query } : null;

/** The source of a model that is at hand as a file, for the engine that the source names. */
export const fileSource = <E extends Chosen>(
  { engine }: { readonly engine?: E | undefined },
  path: string,
): { kind: 'file'; path: string; engine?: E } => ({ kind: 'file', path, ...(engine && { engine }) });

const lastOf = (path: string): string => path.split('/').findLast((part) => part !== '') ?? path;

/** A model in a few words: its file name, or its name at a server. */
export function modelNameOf(source: Source): string {
  const server = serverOf(source);
  return server?.model ?? lastOf(fileOf(source) ?? downloadOf(source)?.replace(/[?#].*$/, '') ?? '');
}

/** A name for a deployment whose owner gives none, of at most 100 characters. */
export function deploymentNameFor(source: Source): string {
  const name = modelNameOf(source);
  return (serverOf(source) ? name : name.replace(/\.gguf$/i, '')).slice(0, 100) || 'model';
}

/** Where a model is, whole, in one line, with the engine that was chosen for it. */
export function sourceText(source: Source): string {
  const server = serverOf(source);
  const place = server ? `${server.model} at ${server.url}` : (fileOf(source) ?? downloadOf(source) ?? '');
  const { engine } = source;
  return engine ? `${place}, loaded by ${engineFacts(engine.kind)?.title ?? engine.kind}` : place;
}
