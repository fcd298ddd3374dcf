import { bodySchemas } from '../../openapi/body-schemas.js';
import {
  anyObject,
  count,
  type JsonSchema,
  list,
  object,
  orNull,
  ref,
  type SurfaceDescription,
  text,
  word,
} from '../../openapi/description.js';
import { CountBody, MessageBody } from './schema.js';

const textOrNull: JsonSchema = { type: ['string', 'null'] };
const unknownTime: JsonSchema = { const: '1970-01-01T00:00:00Z' };
const stopReason = word('end_turn', 'max_tokens', 'stop_sequence', 'tool_use', 'refusal', 'model_context_window_exceeded');
const refusalDetails = object({ type: word('refusal'), category: { type: 'null' }, explanation: { type: 'null' } });

const usage = object(
  {
    input_tokens: count('Of the prompt, evaluated for this answer.'),
    output_tokens: count('Thinking included. 0 at the start of a stream.'),
    cache_creation_input_tokens: { const: 0 },
    cache_read_input_tokens: count('Of the prompt, not evaluated again.'),
    output_tokens_details: object({ thinking_tokens: count() }),
  },
  ['output_tokens_details'],
);

const textBlock = object({ type: word('text'), text: text() });
const thinkingBlock = object({ type: word('thinking'), thinking: text(), signature: { const: '' } });
const toolUse = object({ type: word('tool_use'), id: text(), name: text(), input: anyObject() });

const head = { id: text(), type: word('message'), role: word('assistant'), model: text('Slug of the deployment.') };

const event = (name: string, members: Readonly<Record<string, JsonSchema>> = {}): JsonSchema => object({ type: word(name), ...members });
const delta = (name: string, members: Readonly<Record<string, JsonSchema>>): JsonSchema => object({ type: word(name), ...members });
const index = count('Of the block, from 0 without a gap.');

const deltas: readonly JsonSchema[] = [
  delta('text_delta', { text: text() }),
  delta('thinking_delta', { thinking: text() }),
  delta('signature_delta', { signature: { const: '' } }),
  delta('input_json_delta', { partial_json: text('A piece; all pieces of a block together are JSON text of an object.') }),
];

const startedMessage = object({
  ...head,
  content: { type: 'array', maxItems: 0 },
  stop_reason: { type: 'null' },
  stop_sequence: { type: 'null' },
  usage: ref('MessageUsage'),
});

const events: readonly JsonSchema[] = [
  event('message_start', { message: startedMessage }),
  event('content_block_start', { index, content_block: { anyOf: [textBlock, thinkingBlock, toolUse], description: 'Still empty.' } }),
  event('content_block_delta', { index, delta: { anyOf: deltas } }),
  event('content_block_stop', { index }),
  event('message_delta', { delta: object({ stop_reason: stopReason, stop_sequence: textOrNull }), usage: ref('MessageUsage') }),
  event('message_stop'),
  event('ping'),
  { ...ref('MessagesError'), description: 'The last event of a stream that failed.' },
];

const error = object({
  type: word('error'),
  error: object({
    type: word(
      ...['invalid_request_error', 'authentication_error', 'permission_error', 'not_found_error', 'timeout_error'],
      ...['request_too_large', 'rate_limit_error', 'api_error', 'overloaded_error'],
    ),
    message: text('For people. Begins with the field that is wrong, such as `messages.0.content: `.'),
    details: object({ error_code: text('For programs.') }),
  }),
  request_id: text('As in the header `request-id`.'),
});

const model = object({
  type: word('model'),
  id: text(),
  display_name: text(),
  created_at: unknownTime,
  capabilities: { type: 'null' },
  deprecated_at: { type: 'null' },
  lifecycle: word('active'),
  line: { type: 'null' },
  max_input_tokens: orNull(count('Context in tokens.')),
  max_tokens: orNull(count('The same.')),
  retires_at: { type: 'null' },
});

/** Responses, events and errors. */
const ANSWERS: Readonly<Record<string, JsonSchema>> = {
  Message: object({
    ...head,
    content: list({ anyOf: [textBlock, thinkingBlock, toolUse] }),
    stop_reason: stopReason,
    stop_sequence: textOrNull,
    stop_details: orNull(refusalDetails),
    usage: ref('MessageUsage'),
  }),
  MessageStreamEvent: { anyOf: events },
  MessageUsage: usage,
  TokenCount: object({ input_tokens: count() }),
  MessagesError: error,
  MessagesModel: model,
  MessagesModelList: object({
    data: list(ref('MessagesModel'), { minItems: 1, maxItems: 1 }),
    has_more: { const: false },
    first_id: text(),
    last_id: text(),
  }),
};

/** The messages contract, for the OpenAPI document. */
export const messagesOpenApi: SurfaceDescription = {
  name: 'messages',
  description: 'The messages contract. Base URL of its clients: the deployment, without `/v1`, which they add.',
  schemas: { ...bodySchemas(MessageBody, CountBody), ...ANSWERS },
  endpoints: [
    {
      path: '/v1/messages',
      id: 'createMessage',
      summary: 'Answers a conversation',
      description:
        'With `stream`, events are named by their type. A stream that fails ends with `event: error`, without `message_stop` and without the last chunk of the body.',
      request: 'MessageRequest',
      response: 'Message',
      event: 'MessageStreamEvent',
    },
    {
      path: '/v1/messages/count_tokens',
      id: 'countMessageTokens',
      summary: 'Counts the tokens of a prompt',
      description: 'The prompt is that of a message with the same fields. Nothing is generated, and no slot is taken.',
      request: 'TokenCountRequest',
      response: 'TokenCount',
      headers: { 'x-slipway-token-count': '`estimate` where the engine cannot count; absent where the count is exact.' },
    },
  ],
  error: 'MessagesError',
  model: 'MessagesModel',
  models: 'MessagesModelList',
};
