import { isRecord } from '@slipway/contracts';
import type { CompileBudget } from './compile-budget.js';
import { DATA_WORDS, NAMED_WORDS } from './schema-parts.js';
import { invalidSchema } from './schema-words.js';

/** Base URI of a schema without `$id`. */
const NOWHERE = 'schema://root/';
/** Drafts that ignore siblings of `$ref`. */
const IGNORES_BESIDE_REF = /draft-0[3-7]\b/;

/** A schema resource with its own URI (JSON Schema Core 2020-12, section 4.3.5), and its anchors. */
interface Resource {
  readonly uri: string;
  /** Its pointer from the root. */
  readonly at: string;
  /** Pointers from the root, by `$anchor`. */
  readonly anchors: Map<string, string>;
  /** Pointers by `$dynamicAnchor`; under the empty name that of `$recursiveAnchor` (2019-09, section 8.2.4.2). */
  readonly dynamic: Map<string, string>;
}

interface Index {
  readonly root: Resource;
  readonly all: readonly Resource[];
  readonly byUri: ReadonlyMap<string, Resource>;
  /** Resource of each schema object. */
  readonly of: WeakMap<object, Resource>;
}

/** A schema that refers to another. */
export interface Reference {
  readonly word: '$ref' | '$dynamicRef' | '$recursiveRef';
  readonly value: string;
  /** The referring schema object in the root. */
  readonly given: object;
}

/** Resolves references within one schema: by pointer, by anchor, or by the `$id` of a part. */
export class SchemaReferences {
  #index: Index | null = null;

  constructor(
    private readonly root: unknown,
    private readonly budget: CompileBudget,
  ) {}

  /**
   * Resolves a reference to a pointer from the root.
   * @returns null for a reference to another document, or one whose target depends on the dynamic scope.
   * @throws ServiceError for a dangling reference.
   */
  pointerOf({ word, value, given }: Reference, at: string): string | null {
    const index = (this.#index ??= indexOf(this.root, this.budget));
    const here = index.of.get(given) ?? index.root;
    const { document, fragment } = partsOf(value);
    const resource = document === '' ? here : index.byUri.get(resolved(document, here.uri));
    if (!resource) return null;
    const name = decoded(fragment);
    if (name.startsWith('/')) return resource.at + fragment;
    const plain = name === '' ? resource.at : (resource.anchors.get(name) ?? resource.dynamic.get(name));
    if (plain === undefined) throw invalidSchema(`The reference ${shown(value)} (at ${at}) points at nothing.`);
    const mayBeDynamic = word === (name === '' ? '$recursiveRef' : '$dynamicRef');
    return mayBeDynamic && resource.dynamic.get(name) === plain ? outermost(index, name, plain) : plain;
  }

  /** The schema at a pointer from the root. */
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
}

/** Target of a dynamic reference: the outermost schema of the dynamic scope with the anchor. Null = it depends on the scope. */
function outermost({ root, all }: Index, name: string, plain: string): string | null {
  const ofRoot = root.dynamic.get(name);
  if (ofRoot !== undefined) return ofRoot;
  return all.filter(({ dynamic }) => dynamic.has(name)).length === 1 ? plain : null;
}

function indexOf(root: unknown, budget: CompileBudget): Index {
  const words = isRecord(root) ? root : {};
  const outer = resourceAt('#', idOf(words, true), NOWHERE);
  const all = [outer];
  const of = new WeakMap<object, Resource>();
  const mayHaveBesideRef = !IGNORES_BESIDE_REF.test(String(words['$schema']));
  const waiting: Waiting[] = [{ value: root, at: '#', resource: outer, isNames: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value } = next;
    if (typeof value !== 'object' || value === null) continue;
    const resource = isRecord(value) && !next.isNames ? resourceOf(value, next, mayHaveBesideRef) : next.resource;
    if (resource !== next.resource) {
      budget.steps();
      all.push(resource);
    }
    of.set(value, resource);
    waiting.push(...partsWithin(value, { ...next, resource }));
  }
  return { root: outer, all, of, byUri: new Map(all.toReversed().map((resource) => [resource.uri, resource])) };
}

interface Waiting {
  readonly value: unknown;
  readonly at: string;
  readonly resource: Resource;
  /** True = its members are named schemas, not keywords. */
  readonly isNames: boolean;
}

const partsWithin = (value: object, { at, resource, isNames }: Waiting): Waiting[] =>
  Object.entries(value)
    .filter(([key]) => isNames || !DATA_WORDS.has(key))
    .map(([key, part]) => ({ value: part as unknown, at: `${at}/${escaped(key)}`, resource, isNames: !isNames && NAMED_WORDS.has(key) }));

/** The resource of a schema; registers its anchors. */
function resourceOf(schema: Record<string, unknown>, { at, resource }: Waiting, mayHaveBesideRef: boolean): Resource {
  const id = idOf(schema, mayHaveBesideRef);
  const own = at === '#' || id === '' || id.startsWith('#') ? resource : resourceAt(at, id, resource.uri);
  // Drafts 6 and 7 write an anchor as an `$id` that is a fragment.
  note(own.anchors, id.startsWith('#') ? id.slice(1) : schema['$anchor'], at);
  note(own.dynamic, schema['$dynamicAnchor'], at);
  if (schema['$recursiveAnchor'] === true && own.at === at) note(own.dynamic, '', at);
  return own;
}

const idOf = (schema: Record<string, unknown>, mayHaveBesideRef: boolean): string =>
  typeof schema['$id'] === 'string' && (mayHaveBesideRef || !('$ref' in schema)) ? schema['$id'] : '';

/** Registers a name; the first one wins. */
function note(names: Map<string, string>, name: unknown, at: string): void {
  if (typeof name === 'string' && !names.has(name)) names.set(name, at);
}

function partsOf(reference: string): { readonly document: string; readonly fragment: string } {
  const hash = reference.indexOf('#');
  return hash < 0 ? { document: reference, fragment: '' } : { document: reference.slice(0, hash), fragment: reference.slice(hash + 1) };
}

const resourceAt = (at: string, id: string, base: string): Resource => ({
  uri: resolved(id.replace(/#$/, ''), base),
  at,
  anchors: new Map(),
  dynamic: new Map(),
});

/** Resolves a reference against its base URI (RFC 3986, section 5); unchanged where the base is not hierarchical. */
const resolved = (reference: string, base: string): string =>
  URL.canParse(reference, base) ? new URL(reference, base).href.replace(/#$/, '') : reference;

const escaped = (key: string): string => key.replaceAll('~', '~0').replaceAll('/', '~1');

const shown = (pointer: string): string => JSON.stringify(pointer.length > 100 ? `${pointer.slice(0, 100)}…` : pointer);

function decoded(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
