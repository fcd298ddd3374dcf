import type { JsonSchema } from './description.js';

/** Points at a schema of the document by its name. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const text = (description?: string): JsonSchema => ({ type: 'string', ...(description !== undefined && { description }) });

/** One of these texts. */
export const word = (...words: readonly string[]): JsonSchema =>
  words.length === 1 ? { const: words[0] } : { type: 'string', enum: words };

/** A whole number from 0 on. */
export const count = (description?: string): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  ...(description !== undefined && { description }),
});

export const list = (items: JsonSchema, bounds: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...bounds });

/** An object with these members, of which all but `optional` are always there. */
export function object(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export const anyObject = (description?: string): JsonSchema => ({ type: 'object', ...(description !== undefined && { description }) });

/** The same or null. */
export function orNull({ description, ...schema }: JsonSchema): JsonSchema {
  const described = description === undefined ? {} : { description };
  const { type, enum: words } = schema;
  if (typeof type !== 'string') return { ...described, anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(words) && { enum: [...(words as unknown[]), null] }), ...described };
}
