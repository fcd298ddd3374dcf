import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { isServiceError } from '@slipway/contracts';
import { describe, expect, it } from 'vitest';
import type { ResolvedDeployment } from '../../apps/gateway/src/deployments/deployment-resolver.service.js';
import { readChatRequest } from '../../apps/gateway/src/surfaces/chat/request.js';
import { readEmbeddingsRequest } from '../../apps/gateway/src/surfaces/embeddings/request.js';
import { readMessagesRequest } from '../../apps/gateway/src/surfaces/messages/request.js';
import { readResponsesRequest } from '../../apps/gateway/src/surfaces/responses/request.js';
import { SURFACES } from '../../apps/gateway/src/surfaces/surfaces.js';
import { BODIES } from './openapi-bodies.js';
import { BASE_URL, DOCUMENT, validators } from './openapi-schemas.js';

type Schema = Readonly<Record<string, unknown>>;
type Body = Readonly<Record<string, unknown>>;

const deployment = {
  facts: { id: 1, context: 4096, caps: [] as string[] },
  slug: 'deployment-1',
  alias: undefined,
  isNamed: () => true,
} as unknown as ResolvedDeployment;
const isTaken = (read: () => unknown): boolean => {
  try {
    read();
    return true;
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return false;
  }
};

const user = { role: 'user', content: 'Hello' };
/** The requests: their schema, what reads them, and a small one. */
const REQUESTS = [
  {
    name: 'ChatCompletionRequest',
    base: { model: 'deployment-1', messages: [user] },
    takes: (body: Body) => isTaken(() => readChatRequest(body, deployment, { imageHosts: [] })),
    /** What a field needs beside it. */
    beside: { top_logprobs: { logprobs: true }, ignore_eos: { max_tokens: 5 }, stream_options: { stream: true } } as Record<string, Body>,
    /** Makes sense only beside a certain last message. */
    apart: ['continue_final_message'],
  },
  {
    name: 'MessageRequest',
    base: { model: 'deployment-1', max_tokens: 4096, messages: [user] },
    takes: (body: Body) => isTaken(() => readMessagesRequest(body, deployment, { imageHosts: [] })),
    beside: {} as Record<string, Body>,
    apart: [],
  },
  {
    name: 'ResponseRequest',
    base: { model: 'deployment-1', input: 'Hello' },
    takes: (body: Body) => isTaken(() => readResponsesRequest(body, deployment, { imageHosts: [] })),
    beside: { ignore_eos: { max_output_tokens: 5 }, stream_options: { stream: true } } as Record<string, Body>,
    // Refused with a text of its own, since nothing is kept.
    apart: ['previous_response_id'],
  },
  {
    name: 'EmbeddingsRequest',
    base: { model: 'deployment-1', input: 'Hello' },
    takes: (body: Body) => isTaken(() => readEmbeddingsRequest(body, deployment)),
    beside: {} as Record<string, Body>,
    apart: [],
  },
] as const;

describe('the OpenAPI document', () => {
  it('is valid by the schema of OpenAPI 3.1', () => {
    const schema = JSON.parse(readFileSync(new URL('openapi-3.1.schema.json', import.meta.url), 'utf8')) as object;
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    validate(DOCUMENT);
    expect(validate.errors).toBeNull();
    expect(validate({ ...DOCUMENT, paths: { 'no-slash': {} } })).toBe(false);
    expect(DOCUMENT).toMatchObject({ openapi: '3.1.1', servers: [{ url: BASE_URL }] });
  });

  it('holds valid schemas, and refers to no others', () => {
    const schemaOf = validators(false);
    for (const name of Object.keys(DOCUMENT.components.schemas)) expect(schemaOf(name)).toBeTypeOf('function');
    const pointed = [...JSON.stringify(DOCUMENT).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name!);
    expect(new Set(pointed)).toEqual(new Set(Object.keys(DOCUMENT.components.schemas)));
  });

  it.each(['responses', 'headers'] as const)('refers to all %s, and to no others', (kind) => {
    const pointed = [...JSON.stringify(DOCUMENT).matchAll(new RegExp(`"\\$ref":"#/components/${kind}/([^"]+)"`, 'g'))].map(
      ([, name]) => name!,
    );
    expect(new Set(pointed)).toEqual(new Set(Object.keys((DOCUMENT.components as Record<string, object>)[kind]!)));
  });

  it('names each operation once, with its path parameters', () => {
    const operations = Object.entries(DOCUMENT.paths).flatMap(([path, item]) =>
      [item.get, item.post, item.delete].flatMap((operation) => operation ?? []).map((operation) => ({ path, item, operation })),
    );
    const ids = operations.map(({ operation }) => operation.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { path, item } of operations) {
      const parts = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name);
      expect((item.parameters ?? []).map(({ name }) => name)).toEqual(parts);
    }
  });

  it('has every endpoint by slug, alias and open path', () => {
    const ends = ['/v1/models', '/v1/models/{model}', ...SURFACES.all.flatMap(({ endpoints }) => endpoints.map(({ path }) => path))];
    const expected = [...new Set(ends)].flatMap((end) => [`/{deployment}${end}`, `/{account}/{alias}${end}`]);
    expect(Object.keys(DOCUMENT.paths).toSorted()).toEqual([...expected, '/livez', '/readyz', '/openapi.json'].toSorted());
  });
});

/** Values on both sides of what a schema says of a field. */
function edges(schema: Schema): unknown[] {
  const values: unknown[] = [null, true, 'text that is no word of any list', {}, []];
  const { minimum, maximum, exclusiveMinimum, maxLength, minLength, enum: words } = schema;
  const step = JSON.stringify(schema['type'] ?? '').includes('integer') ? 1 : 0.01;
  if (typeof minimum === 'number') values.push(minimum, minimum - step);
  if (typeof maximum === 'number') values.push(maximum, Math.abs(maximum) > 2 ** 53 ? maximum * 2 : maximum + step);
  if (typeof exclusiveMinimum === 'number') values.push(exclusiveMinimum, exclusiveMinimum + step);
  if (typeof maxLength === 'number') values.push('x'.repeat(maxLength), 'x'.repeat(maxLength + 1));
  if (typeof minLength === 'number') values.push('x'.repeat(minLength), 'x'.repeat(minLength - 1));
  if (Array.isArray(words)) values.push(...(words as unknown[]));
  return [...values, 1, 0.5];
}

describe.each(REQUESTS)('the request $name', ({ name, base, takes, beside, apart }) => {
  const accepts = validators(false)(name);
  const properties = DOCUMENT.components.schemas[name]!['properties'] as Record<string, Schema>;

  const fields = Object.entries(properties).filter(([field]) => !(apart as readonly string[]).includes(field));
  it.each(fields)('has the range for %s that the gateway takes', (field, schema) => {
    for (const value of edges(schema)) {
      const body = { ...base, ...beside[field], [field]: value };
      expect({ field, value, taken: accepts(body) }).toEqual({ field, value, taken: takes(body) });
    }
  });

  it.each(BODIES[name])('accepts exactly what the gateway does: %j', (fields) => {
    const body = { ...base, ...fields };
    expect({ fields, taken: accepts(body) }).toEqual({ fields, taken: takes(body) });
  });

  it.each((DOCUMENT.components.schemas[name]!['required'] as string[]).map((field) => [field]))('is refused without %s', (field) => {
    const { [field as 'model']: _, ...rest } = base;
    expect({ schema: accepts(rest), gateway: takes(rest) }).toEqual({ schema: false, gateway: false });
  });
});
