import { isRecord } from '@slipway/contracts';

/** Keywords with schemas by user-defined names. */
export const NAMED_WORDS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'],
]);
/** Keywords with data, which contains no keywords. */
export const DATA_WORDS: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'example']);

/** Deep copy of a schema, each schema object changed after its children. */
export function withSchemas(schema: unknown, change: (schema: Record<string, unknown>) => unknown): unknown {
  if (Array.isArray(schema)) return schema.map((part) => withSchemas(part, change));
  if (!isRecord(schema)) return schema;
  const named = (value: unknown): unknown => (isRecord(value) ? mapped(value, (part) => withSchemas(part, change)) : value);
  return change(
    mapped(schema, (value, word) => {
      if (DATA_WORDS.has(word)) return value;
      return NAMED_WORDS.has(word) ? named(value) : withSchemas(value, change);
    }),
  );
}

const mapped = (record: Record<string, unknown>, change: (value: unknown, key: string) => unknown): Record<string, unknown> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value, key)]));
