import { z } from 'zod';
import { noteOf } from '../surfaces/shared/faults.js';
import type { JsonSchema } from './description.js';

type Node = Record<string, unknown>;

/**
 * The OpenAPI schemas of request bodies by id (`.meta({ id })`).
 * @param bodies the zod schemas that the gateway checks bodies with.
 */
export function bodySchemas(...bodies: readonly z.ZodObject[]): Readonly<Record<string, JsonSchema>> {
  return Object.assign({}, ...bodies.map(schemasOf)) as Record<string, JsonSchema>;
}

function schemasOf(body: z.ZodObject): Record<string, JsonSchema> {
  const { id } = z.globalRegistry.get(body) ?? {};
  if (id === undefined) throw new TypeError('The schema of a body needs an id.');
  const {
    $schema: _dialect,
    $defs = {},
    ...whole
  } = z.toJSONSchema(body, { io: 'input', override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema) });
  const named = JSON.stringify({ [id]: whole, ...$defs }).replaceAll('"#/$defs/', '"#/components/schemas/');
  return JSON.parse(named) as Record<string, Node> satisfies Record<string, JsonSchema>;
}

/** Leaves out fields that are always rejected, and shortens `or null`. */
function adapt(schema: z.core.$ZodType, json: Node): void {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  delete json['id'];
  for (const bound of ['minLength', 'minItems']) if (json[bound] === 0) delete json[bound];
  if (def.type === 'object') {
    for (const [name, member] of Object.entries(def.shape)) {
      if (isHidden(member)) delete (json['properties'] as Node)[name];
    }
  }
  if (def.type === 'nullable') flatten(json);
}

function isHidden(schema: z.core.$ZodType): boolean {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  return noteOf(schema).hidden === true || ((def.type === 'optional' || def.type === 'nullable') && isHidden(def.innerType));
}

/** `anyOf: [{ type: x }, null]` as `type: [x, null]`, and alternatives with null beside each other. */
function flatten(json: Node): void {
  const [inner, none] = (json['anyOf'] ?? []) as Node[];
  if (!inner || none?.['type'] !== 'null') return;
  if (Array.isArray(inner['anyOf'])) {
    json['anyOf'] = [...(inner['anyOf'] as Node[]), none];
  } else if (typeof inner['type'] === 'string') {
    const { type, const: word, enum: words = word === undefined ? undefined : [word], ...rest } = inner;
    delete json['anyOf'];
    Object.assign(json, rest, { type: [type, 'null'] }, words !== undefined && { enum: [...(words as unknown[]), null] });
  }
}
