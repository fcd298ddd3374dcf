import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { READ_TOOLS, TOOLS } from './tool-registry.js';
import { inputSchemaOf, outputSchemaOf } from './tool-schemas.js';

type Schema = Record<string, unknown>;
const shown = (schema: ReturnType<typeof inputSchemaOf>): Schema => schema['~standard'].jsonSchema.output({ target: 'draft-2020-12' });
const propertiesOf = (schema: Schema): Record<string, Schema> => schema['properties'] as Record<string, Schema>;

describe('every tool', () => {
  it.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s describes what it takes', (_, { input, description, title }) => {
    expect([description.endsWith('.'), title.length > 0]).toEqual([true, true]);
    for (const [name, field] of Object.entries(propertiesOf(shown(inputSchemaOf(input))))) {
      expect([name, typeof field['description'] === 'string' || 'enum' in field || name === 'name']).toEqual([name, true]);
    }
  });

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s answers without null, and failures fit its schema', (_, { output }) => {
    const schema = shown(outputSchemaOf(output));
    expect(JSON.stringify(schema)).not.toContain('"null"');
    expect(schema['type']).toBe('object');
    expect(Object.keys(propertiesOf(schema))).toEqual(expect.arrayContaining(['code', 'message', 'retryable', 'next_tool']));
    const clashes = ['code', 'message', 'retryable', 'next_tool', 'argument'].filter((name) => name in output.shape);
    expect(clashes).toEqual([]);
  });

  it('that destroys asks for a confirmation, or for the word that it moves something', () => {
    for (const { name, input, hints } of TOOLS) {
      const isAsked = Object.entries(input.shape).some(([field, schema]) => field.startsWith('confirm_') && schema instanceof z.ZodString);
      expect([name, isAsked || name === 'set_alias']).toEqual([name, hints.isDestructive || isAsked]);
    }
  });

  it('has a name of its own', () => {
    expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length);
  });
});

it('only reading tools are at the endpoint for reading', () => {
  expect(READ_TOOLS.length).toBeGreaterThan(5);
  expect(READ_TOOLS.filter(({ hints, name }) => hints.isDestructive || !/^(get|list)_/.test(name))).toEqual([]);
});
