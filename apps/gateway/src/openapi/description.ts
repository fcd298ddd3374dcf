/** A JSON schema of draft 2020-12, as OpenAPI 3.1 holds it. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One endpoint of a public contract. Schemas are named as in the description that it stands in. */
export interface EndpointDescription {
  /** As in the endpoint itself: what follows the deployment in a path. */
  readonly path: string;
  /** Unique over all contracts. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  readonly request: string;
  readonly response: string;
  /** What one event of a stream holds; absent = no stream. */
  readonly event?: string;
  /** Headers of the answer beyond those of every answer, and what they mean. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the OpenAPI document says of a public contract. */
export interface SurfaceDescription {
  readonly name: string;
  readonly description: string;
  /** By names that no other contract uses. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly endpoints: readonly EndpointDescription[];
  /** The body of every error. */
  readonly error: string;
  /** One model, and the list of them. */
  readonly model: string;
  readonly models: string;
}

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
