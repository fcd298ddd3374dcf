import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocument } from '../../apps/gateway/src/openapi/openapi-document.js';
import { SURFACES } from '../../apps/gateway/src/surfaces/surfaces.js';

export const BASE_URL = 'https://models.example.com';

export interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: unknown;
}
export type PathItem = { readonly parameters?: readonly { name: string; in: string }[] } & Readonly<
  Record<'get' | 'post' | 'delete', Operation | undefined>
>;
export interface OpenApi {
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Record<string, unknown>>>;
    readonly responses: Readonly<Record<string, object>>;
  };
}

/** The product's own document, as a client reads it. */
export const DOCUMENT = JSON.parse(JSON.stringify(openApiDocument(SURFACES.all, BASE_URL))) as OpenApi;

/** An answer of an operation, which may point at one that others share. */
export function resolved(answer: unknown): unknown {
  const [, name] = /^#\/components\/responses\/(.+)$/.exec((answer as { $ref?: string } | undefined)?.$ref ?? '') ?? [];
  return name === undefined ? answer : DOCUMENT.components.responses[name];
}

/** The document's schemas by name. @param strict members that a schema does not name are faults. */
export function validators(strict: boolean): (name: string) => ValidateFunction {
  const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true, allowUnionTypes: true });
  const { schemas } = DOCUMENT.components;
  // Where JSON schema itself keeps schemas for others.
  const defs = JSON.parse(JSON.stringify(schemas).replaceAll('#/components/schemas/', '#/$defs/')) as object;
  ajv.addSchema({ $id: 'doc', $defs: strict ? closed(defs) : defs });
  return (name) => {
    if (!(name in schemas)) throw new Error(`The document has no schema ${name}.`);
    return ajv.getSchema(`doc#/$defs/${name}`)!;
  };
}

/** The same with every object closed, as the document leaves them open for what later versions add. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, closed(inner)] as const);
  const isOpenObject = 'type' in value && value.type === 'object' && 'properties' in value && typeof value.properties === 'object';
  return { ...Object.fromEntries(entries), ...(isOpenObject && { additionalProperties: false }) };
}
