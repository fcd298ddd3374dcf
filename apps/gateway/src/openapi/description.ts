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
  readonly answer: string;
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
