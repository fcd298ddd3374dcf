import { isRecord } from '@slipway/contracts';
import type { LeftOut } from './grammar/left-out.js';
import { within } from './grammar/schema-words.js';

/** Keywords with schemas by name. */
const NAMED: ReadonlySet<string> = new Set(['properties', 'patternProperties', 'dependentSchemas', 'dependencies', '$defs', 'definitions']);
/** Keywords with a schema or a list of schemas. */
const NESTED: ReadonlySet<string> = new Set([
  ...['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items', 'additionalItems', 'unevaluatedItems', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'not', 'if', 'then', 'else'],
]);
const LENGTHS: ReadonlySet<string> = new Set(['minLength', 'maxLength']);
/** Other keywords with large grammars. */
const COSTLY: ReadonlySet<string> = new Set(['pattern', 'format', 'multipleOf']);

/** Whether to remove a keyword of a schema. */
export type Trim = (word: string, schema: Readonly<Record<string, unknown>>) => boolean;

/** Removes nothing. */
export const isNothing: Trim = () => false;

/** Removes lengths beside a pattern or format, which need an automaton of both. */
export const isBesidePattern: Trim = (word, schema) => LENGTHS.has(word) && ('pattern' in schema || 'format' in schema);

/** Removes all keywords with large grammars. */
export const isCostly: Trim = (word) => COSTLY.has(word) || LENGTHS.has(word);

/** A schema without some of its keywords, at any depth. `leftOut` names the removed ones. */
export function trimmed(schema: unknown, goes: Trim, leftOut: LeftOut, at = '#'): unknown {
  if (Array.isArray(schema)) return schema.map((each, i) => trimmed(each, goes, leftOut, within(at, i)));
  if (!isRecord(schema)) return schema;
  const kept: [string, unknown][] = [];
  for (const [word, value] of Object.entries(schema)) {
    if (goes(word, schema)) leftOut.add(at, word);
    else kept.push([word, inside(word, value, goes, { leftOut, at: within(at, word) })]);
  }
  return Object.fromEntries(kept);
}

function inside(word: string, value: unknown, goes: Trim, { leftOut, at }: { readonly leftOut: LeftOut; readonly at: string }): unknown {
  if (NESTED.has(word)) return trimmed(value, goes, leftOut, at);
  if (!NAMED.has(word) || !isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, trimmed(each, goes, leftOut, within(at, name))]));
}
