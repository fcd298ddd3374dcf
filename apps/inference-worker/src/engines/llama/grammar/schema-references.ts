import { invalidSchema, isRecord } from './schema-words.js';

const MAX_ANCHORS = 10_000;

/** Finds what references inside of one schema point at: by pointer, by anchor, or by the `$id` of a part. */
export class SchemaReferences {
  #anchors: ReadonlyMap<string, string> | null = null;

  constructor(private readonly root: unknown) {}

  /** The reference as a pointer from the root; null = it points at another document. @throws ServiceError for one that points at nothing. */
  pointerOf(reference: string, at: string): string | null {
    if (reference === '#' || reference.startsWith('#/')) return reference;
    const hash = reference.indexOf('#');
    const [document, fragment] = hash < 0 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
    const base = document === '' ? '#' : this.#named(document);
    if (base === undefined) return null;
    if (fragment === '') return base;
    if (fragment.startsWith('/')) return base + fragment;
    const anchored = this.#named(`#${fragment}`);
    if (anchored !== undefined) return anchored;
    throw invalidSchema(`The reference ${shown(reference)} (at ${at}) points at nothing.`);
  }

  /** The schema that a pointer from the root points at. */
  resolve(pointer: string, at: string): unknown {
    let target: unknown = this.root;
    for (const step of pointer.slice(1).split('/').slice(1)) {
      const key = decoded(step).replaceAll('~1', '/').replaceAll('~0', '~');
      const known = typeof target === 'object' && target !== null && Object.hasOwn(target, key);
      if (!known) throw invalidSchema(`The reference ${shown(pointer)} (at ${at}) points at nothing.`);
      target = (target as Record<string, unknown>)[key];
    }
    return target;
  }

  #named(name: string): string | undefined {
    this.#anchors ??= anchorsIn(this.root);
    return this.#anchors.get(name);
  }
}

/** Pointers by `$id` (whole, and its last part) and by `#anchor`. */
function anchorsIn(root: unknown): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const waiting: [unknown, string][] = [[root, '#']];
  for (let next = waiting.pop(); next && found.size < MAX_ANCHORS; next = waiting.pop()) {
    const [value, at] = next;
    if (typeof value !== 'object' || value === null) continue;
    const names = isRecord(value) ? namesOf(value) : [];
    for (const name of names) found.set(name, found.get(name) ?? at);
    for (const [key, part] of Object.entries(value)) waiting.push([part, `${at}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`]);
  }
  return found;
}

function namesOf({ $id, id, $anchor, $dynamicAnchor }: Record<string, unknown>): string[] {
  const names: string[] = [];
  for (const name of [$id, id]) {
    if (typeof name !== 'string') continue;
    const plain = name.replace(/#$/, '');
    names.push(plain, plain.slice(plain.lastIndexOf('/') + 1), `/${plain.slice(plain.lastIndexOf('/') + 1)}`);
  }
  for (const anchor of [$anchor, $dynamicAnchor]) if (typeof anchor === 'string') names.push(`#${anchor}`);
  return names.filter((name) => name !== '');
}

const shown = (pointer: string): string => JSON.stringify(pointer.length > 100 ? `${pointer.slice(0, 100)}…` : pointer);

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
