import { z } from 'zod';
import type { JsonSchema } from '../../../openapi/description.js';
import { anyObject, flag, list, ref, request, text, word } from '../../../openapi/schema-forms.js';
import { ChatFields } from '../chat.schema.js';

const schemaText: JsonSchema = {
  anyOf: [anyObject('A JSON schema.'), { type: 'string', pattern: String.raw`^\s*\{`, description: 'Its JSON text.' }],
};
const pattern: JsonSchema = { type: 'string', minLength: 1, maxLength: 8_192 };
const grammar: JsonSchema = { type: 'string', minLength: 1, maxLength: 65_536 };
const options = list({ type: 'string', minLength: 1 }, { minItems: 1, maxItems: 1024 });
const toolName: JsonSchema = { type: 'string', pattern: '^[A-Za-z0-9_.-]{1,128}$' };

const named = request({ type: word('function'), function: request({ name: toolName }, ['name']) }, ['type', 'function']);
const allowed = request(
  {
    type: word('allowed_tools'),
    allowed_tools: request({ mode: word('auto', 'required'), tools: list(named, { minItems: 1 }) }, ['mode', 'tools']),
  },
  ['type', 'allowed_tools'],
);

const namedSchema = request(
  { name: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' }, schema: anyObject('A JSON schema.'), strict: flag(), description: text() },
  ['name', 'schema'],
);

const format: JsonSchema = {
  anyOf: [
    request({ type: word('text') }, ['type']),
    request({ type: word('json_object'), schema: schemaText }, ['type']),
    request({ type: word('json_schema'), json_schema: namedSchema }, ['type', 'json_schema']),
  ],
};

const tool = request(
  {
    type: word('function'),
    function: request(
      {
        name: toolName,
        description: text(),
        parameters: anyObject('A JSON schema of the type `object`.'),
        strict: flag('Calls are held to the schema where the engine can.'),
      },
      ['name'],
    ),
  },
  ['type', 'function'],
);

/** Fields with a structure of their own. */
const STRUCTURED: Readonly<Record<string, JsonSchema>> = {
  messages: list(ref('ChatMessage'), { minItems: 1, maxItems: 2048 }),
  stop: {
    anyOf: [{ type: 'string', minLength: 1, maxLength: 1024 }, list({ type: 'string', minLength: 1, maxLength: 1024 }, { maxItems: 4 })],
  },
  tools: list(ref('ChatTool'), { maxItems: 128 }),
  tool_choice: { anyOf: [word('none', 'auto', 'required'), named, allowed] },
  parallel_tool_calls: flag('False: one call at most.'),
  response_format: { ...format, description: 'The form of the answer. One field at most may ask for a form.' },
  structured_outputs: request({ json: schemaText, regex: pattern, choice: options, grammar, json_object: flag() }, []),
  guided_json: schemaText,
  guided_regex: pattern,
  guided_choice: options,
  guided_grammar: grammar,
  json_schema: schemaText,
  regex: pattern,
  ebnf: grammar,
  grammar,
  chat_template_kwargs: {
    type: 'object',
    maxProperties: 64,
    additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
    description: 'Variables of the chat template.',
  },
  continue_final_message: flag('The answer goes on with the last message, which is the assistant’s.'),
  add_generation_prompt: { const: true },
  modalities: list(word('text')),
};

/** What is worth saying beside type and range. */
const DESCRIPTIONS: Readonly<Record<string, string>> = {
  model: 'A name of the deployment in the URL: its slug, an alias of it, or `account/alias`.',
  stream: 'The answer as server-sent events.',
  stream_options: 'With `stream` only.',
  temperature: 'Default 1.',
  max_completion_tokens: 'Tokens of an answer; wins over `max_tokens`. What is more than fits is what fits.',
  n: 'Choices.',
  top_logprobs: 'Needs `logprobs`.',
  top_k: '0 and -1 switch it off.',
  ignore_eos: 'Needs a limit of tokens.',
  prompt_cache_key: 'Requests with the same key meet the same cached prefix.',
};

function plainFields(): Readonly<Record<string, JsonSchema>> {
  const { properties = {} } = z.toJSONSchema(ChatFields, { io: 'input' }) as { properties?: Record<string, JsonSchema> };
  return Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const description = DESCRIPTIONS[name];
      return [name, description === undefined ? schema : { ...schema, description }];
    }),
  );
}

/** The request, its ranges as they are checked. */
export const CHAT_REQUESTS: Readonly<Record<string, JsonSchema>> = {
  ChatCompletionRequest: request({ ...plainFields(), ...STRUCTURED }, ['model', 'messages']),
  ChatTool: tool,
};
