import { z } from 'zod';
import type { JsonSchema } from '../../../openapi/description.js';
import { anyObject, flag, list, orNull, ref, request, text, word } from '../../../openapi/schema-forms.js';
import { CountFields, MessagesFields } from '../messages.schema.js';

const toolName: JsonSchema = { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,128}$' };
const format = request({ type: word('json_schema'), schema: anyObject('A JSON schema.') }, ['type', 'schema']);

const tool = request(
  {
    name: toolName,
    description: text(),
    type: word('custom'),
    input_schema: {
      type: 'object',
      properties: { type: word('object') },
      required: ['type'],
      description: 'A JSON schema of the type `object`.',
    },
    strict: flag('Calls are held to the schema where the engine can.'),
    defer_loading: flag('The model is not shown the tool until a `tool_reference` names it.'),
  },
  ['name', 'input_schema'],
);

const oneCall = flag('One call at most.');
const toolChoice: JsonSchema = {
  anyOf: [
    request({ type: word('auto', 'any'), disable_parallel_tool_use: oneCall }, ['type']),
    request({ type: word('tool'), name: toolName, disable_parallel_tool_use: oneCall }, ['type', 'name']),
    request({ type: word('none') }, ['type']),
  ],
};

/** Fields with a structure of their own. */
const STRUCTURED: Readonly<Record<string, JsonSchema>> = {
  messages: list(ref('MessageParam'), { minItems: 1, maxItems: 100_000 }),
  system: ref('SystemPrompt'),
  tools: list(ref('MessagesTool'), { maxItems: 1_000 }),
  tool_choice: toolChoice,
  output_format: { ...format, description: 'The older name of `output_config.format`.' },
};

/** What is worth saying beside type and range. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  model: 'A name of the deployment in the URL: its slug, an alias of it, or `account/alias`.',
  max_tokens: 'What is more than fits is what fits. 0 evaluates the prompt and says nothing.',
  stream: 'The answer as server-sent events.',
  thinking: 'Off unless it is asked for.',
};

function fields(schema: z.ZodType): Readonly<Record<string, JsonSchema>> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' }) as { properties?: Record<string, JsonSchema> };
  const plain = Object.entries(properties).map(([name, { ...known }]) => {
    const description = DESCRIPTIONS[name];
    return [name, description === undefined ? known : { ...known, description }] as const;
  });
  return { ...Object.fromEntries(plain), ...STRUCTURED, output_config: outputConfig(properties['output_config']) };
}

/** The form of the answer stands beside what is checked as a plain field. */
function outputConfig(plain: JsonSchema | undefined): JsonSchema {
  const properties = (plain?.['properties'] ?? {}) as Record<string, JsonSchema>;
  return { type: 'object', properties: { ...properties, format: orNull(format) } };
}

/** The requests, their ranges as they are checked. */
export const MESSAGES_REQUESTS: Readonly<Record<string, JsonSchema>> = {
  MessageRequest: request(fields(MessagesFields), ['model', 'max_tokens', 'messages']),
  TokenCountRequest: request(fields(CountFields), ['model', 'messages']),
  MessagesTool: tool,
};
