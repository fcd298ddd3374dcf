import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { READ_TOOLS, TOOLS } from './tool-registry.js';
import { inputSchemaOf, outputSchemaOf } from './mcp-server.js';

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

  it.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s returns no null, and failures fit its schema', (_, { output }) => {
    const schema = shown(outputSchemaOf(output));
    expect(JSON.stringify(schema)).not.toContain('"null"');
    expect(schema['type']).toBe('object');
    expect(Object.keys(propertiesOf(schema))).toEqual(expect.arrayContaining(['code', 'message', 'retryable', 'next_tool']));
    const clashes = ['code', 'message', 'retryable', 'next_tool', 'argument'].filter((name) => name in output.shape);
    expect(clashes).toEqual([]);
  });

  it('that destroys asks for a confirmation', () => {
    for (const { name, input, hints } of TOOLS) {
      const isAsked = Object.entries(input.shape).some(([field, schema]) => field.startsWith('confirm_') && schema instanceof z.ZodString);
      expect([name, isAsked || name === 'set_alias']).toEqual([name, hints.isDestructive || isAsked]);
    }
  });

  it('has a unique name', () => {
    expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length);
  });
});

it('the read-only endpoint has reading tools only', () => {
  expect(READ_TOOLS.length).toBeGreaterThan(5);
  expect(READ_TOOLS.filter(({ hints, name }) => hints.isDestructive || !/^(get|list|plan|preview)_/.test(name))).toEqual([]);
});
