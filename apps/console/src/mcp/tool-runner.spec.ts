import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, type McpTool, READS, type ToolCall } from './mcp-tool.js';
import { runTool, type ToolResult } from './tool-runner.js';

const tool = defineTool({
  name: 'probe',
  title: 'Probe',
  description: 'Gives back what it was given.',
  hints: READS,
  input: z.object({
    group_by: z
      .array(z.enum(['key', 'deployment']))
      .max(5)
      .optional(),
    step: z.enum(['hour', 'day']).optional(),
    size: z.int().min(1).max(10).optional(),
  }),
  output: z.object({ given: z.string() }),
  run: (input) => Promise.resolve({ given: JSON.stringify(input) }),
}) as unknown as McpTool;

const run = (args: unknown): Promise<ToolResult> => runTool(tool, args, {} as ToolCall, () => undefined);
const said = async (args: unknown): Promise<string> => (await run(args)).content[0]?.text ?? '';

it('takes a single value as a list of one', async () => {
  expect(await run({ group_by: 'deployment' })).toMatchObject({ structuredContent: { given: '{"group_by":["deployment"]}' } });
  expect(await run({ group_by: ['key'] })).toMatchObject({ structuredContent: { given: '{"group_by":["key"]}' } });
});

it('names the allowed values of an argument once', async () => {
  expect(await said({ group_by: 'model' })).toBe(
    'The arguments of probe are not valid. group_by.0: Invalid option: expected one of "key"|"deployment".',
  );
  expect(await said({ step: 'week' })).toContain('step: Invalid option: expected one of "hour"|"day".');
  expect(await said({ size: 'many' })).toBe('The arguments of probe are not valid. size: Invalid input: expected number, received string.');
  expect(await said({ group_by: { a: 1 } })).toBe(
    'The arguments of probe are not valid. group_by: Invalid input: expected array, received object.',
  );
});

it('names an argument that is unknown', async () => {
  expect(await said({ sise: 1 })).toContain('"sise"');
});
