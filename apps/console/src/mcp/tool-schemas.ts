import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { ToolFailure } from './tool-failure.js';

type JsonSchema = Record<string, unknown>;

/** A schema that is only shown: the tool itself checks what comes and what goes. */
function shown(json: JsonSchema): StandardSchemaWithJSON<unknown, unknown> {
  const show = (): JsonSchema => json;
  return { '~standard': { version: 1, vendor: 'slipway', validate: (value) => ({ value }), jsonSchema: { input: show, output: show } } };
}

const propertiesOf = (json: JsonSchema): JsonSchema => (json['properties'] ?? {}) as JsonSchema;

/** What a tool takes, as clients read it. */
export const inputSchemaOf = (input: z.ZodObject): StandardSchemaWithJSON<unknown, unknown> =>
  shown({ ...z.toJSONSchema(input, { io: 'input' }), additionalProperties: false });

/**
 * What a tool answers, as clients read it: its result or a failure. Some clients check failures against the schema too, so
 * it names both.
 */
export function outputSchemaOf(output: z.ZodObject): StandardSchemaWithJSON<unknown, unknown> {
  const result = z.toJSONSchema(output);
  const failure = z.toJSONSchema(ToolFailure);
  return shown({
    type: 'object',
    properties: { ...propertiesOf(result), ...propertiesOf(failure) },
    additionalProperties: false,
    anyOf: [{ required: result['required'] ?? [] }, { required: failure['required'] ?? [] }],
  });
}
