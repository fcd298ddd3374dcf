/** A JSON schema of draft 2020-12, as in OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** One endpoint of a public contract. It refers to schemas by name. */
export interface EndpointDescription {
  /** The part of the path after the deployment. */
  readonly path: string;
  /** Unique over all contracts. */
  readonly id: string;
  readonly summary: string;
  readonly description: string;
  /** Absent = `post`. */
  readonly method?: 'post' | 'get' | 'delete';
  /** Parameters of the path besides the deployment, the same for all endpoints of a path. */
  readonly pathParameters?: readonly JsonSchema[];
  /** Parameters of the query. */
  readonly query?: readonly JsonSchema[];
  /** Absent = no body. */
  readonly request?: string;
  readonly response: string;
  /** Schema of a stream's event; absent = no stream. */
  readonly event?: string;
  /** Additional response headers, with descriptions. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A public contract in the OpenAPI document. */
export interface SurfaceDescription {
  readonly name: string;
  readonly description: string;
  /** Names are unique over all contracts. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  readonly endpoints: readonly EndpointDescription[];
  /** Schema of every error's body. */
  readonly error: string;
  /** Schemas of one model and of the list. */
  readonly model: string;
  readonly models: string;
}

/** A reference to a schema of the document. */
export const ref = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

export const text = (description?: string): JsonSchema => ({ type: 'string', ...(description !== undefined && { description }) });

/** A string enum. */
export const word = (...words: readonly string[]): JsonSchema =>
  words.length === 1 ? { const: words[0] } : { type: 'string', enum: words };

/** An integer of at least 0. */
export const count = (description?: string): JsonSchema => ({
  type: 'integer',
  minimum: 0,
  ...(description !== undefined && { description }),
});

export const list = (items: JsonSchema, bounds: JsonSchema = {}): JsonSchema => ({ type: 'array', items, ...bounds });

/** An object with these members, all required but `optional`. */
export function object(properties: Readonly<Record<string, JsonSchema>>, optional: readonly string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', properties, ...(required.length > 0 && { required }) };
}

export const anyObject = (description?: string): JsonSchema => ({ type: 'object', ...(description !== undefined && { description }) });

/** The schema or null. */
export function orNull({ description, ...schema }: JsonSchema): JsonSchema {
  const described = description === undefined ? {} : { description };
  const { type, enum: words } = schema;
  if (typeof type !== 'string') return { ...described, anyOf: [schema, { type: 'null' }] };
  return { ...schema, type: [type, 'null'], ...(Array.isArray(words) && { enum: [...(words as unknown[]), null] }), ...described };
}
