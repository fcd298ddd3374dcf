import { isRecord } from '@slipway/contracts';
import { invalidSchema, schemasOf } from './schema-words.js';

/** Translates older drafts and OpenAPI to draft 2020-12, for this schema's own keywords only. */
export function modernized(schema: Record<string, unknown>, at: string): Record<string, unknown> {
  return withDependencies(withPrefixItems(withExclusiveBounds(withNull(schema))), at);
}

/** `nullable` of OpenAPI 3.0. */
export function withNull(schema: Record<string, unknown>): Record<string, unknown> {
  if (!('nullable' in schema)) return schema;
  const { nullable, ...rest } = schema;
  if (nullable === false) return rest;
  if (nullable !== true) throw invalidSchema('The schema\'s "nullable" must be true or false.');
  const { type } = rest;
  if (type !== undefined) return { ...rest, type: [...(Array.isArray(type) ? (type as unknown[]) : [type]), 'null'] };
  return 'enum' in rest || 'const' in rest ? rest : { anyOf: [rest, { type: 'null' }] };
}

/** `exclusiveMinimum: true` of draft 4 and OpenAPI 3.0. */
export function withExclusiveBounds(schema: Record<string, unknown>): Record<string, unknown> {
  let result = schema;
  for (const [flag, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
    if (typeof schema[flag] !== 'boolean') continue;
    const { [flag]: excludes, [bound]: value, ...rest } = result;
    result = value === undefined ? rest : { ...rest, [excludes === true ? flag : bound]: value };
  }
  return result;
}

/** Tuples of drafts before 2020-12. */
function withPrefixItems(schema: Record<string, unknown>): Record<string, unknown> {
  if (!('additionalItems' in schema) && !Array.isArray(schema['items'])) return schema;
  const { items, additionalItems, ...rest } = schema;
  // Without a list of items, `additionalItems` has no effect.
  if (!Array.isArray(items)) return items === undefined ? rest : { ...rest, items };
  const others = additionalItems === undefined ? {} : { items: additionalItems };
  return items.length > 0 ? { ...rest, prefixItems: items, ...others } : { ...rest, ...others };
}

/** `dependencies` of drafts before 2019-09. */
function withDependencies(schema: Record<string, unknown>, at: string): Record<string, unknown> {
  if (!('dependencies' in schema)) return schema;
  const { dependencies: _, ...rest } = schema;
  const all = [...schemasOf(schema, 'dependencies', at)];
  const lists = all.filter(([, value]) => Array.isArray(value));
  const schemas = all.filter(([, value]) => isRecord(value) || typeof value === 'boolean');
  return {
    ...rest,
    ...(lists.length > 0 && { dependentRequired: { ...(rest['dependentRequired'] as object | undefined), ...Object.fromEntries(lists) } }),
    ...(schemas.length > 0 && {
      dependentSchemas: { ...(rest['dependentSchemas'] as object | undefined), ...Object.fromEntries(schemas) },
    }),
  };
}
