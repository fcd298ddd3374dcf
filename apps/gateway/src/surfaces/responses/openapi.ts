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
import { ResponsesBody } from './schema.js';

type Members = Readonly<Record<string, JsonSchema>>;

const nothing: JsonSchema = { type: 'null' };
const seconds: JsonSchema = { type: 'integer', description: 'Seconds since 1970.' };
const itemStatus = word('in_progress', 'completed', 'incomplete');

const probability = { token: text(), logprob: { type: 'number' }, bytes: list(count()) };
const logprobs = list(object({ ...probability, top_logprobs: list(object(probability)) }), {
  description: 'Where `include` asks for them.',
});

const textPart = object({ type: word('output_text'), text: text(), annotations: { type: 'array', maxItems: 0 }, logprobs });
const summaryPart = object({ type: word('summary_text'), text: text() });

const call = (type: string, member: string, description: string): JsonSchema =>
  object(
    {
      id: text(),
      status: itemStatus,
      type: word(type),
      call_id: text(),
      name: text(),
      namespace: text('That of the tool, where it has one.'),
      [member]: text(description),
    },
    ['namespace'],
  );

const item: JsonSchema = {
  anyOf: [
    object({ id: text(), status: itemStatus, type: word('message'), role: word('assistant'), content: list(textPart, { maxItems: 1 }) }),
    object(
      {
        id: text(),
        status: itemStatus,
        type: word('reasoning'),
        summary: list(summaryPart, { maxItems: 1, description: 'The reasoning itself.' }),
        encrypted_content: text('The reasoning in base64, for the next request.'),
      },
      ['encrypted_content'],
    ),
    call('function_call', 'arguments', 'JSON text of an object.'),
    call('custom_tool_call', 'input', 'Free text.'),
  ],
};

const echoed: Members = {
  instructions: { type: ['string', 'null'], description: 'Null where the request is long.' },
  tools: list(anyObject(), { description: 'Without those that are left out; empty where the request is long.' }),
  text: anyObject(),
  tool_choice: { anyOf: [text(), anyObject()] },
  parallel_tool_calls: { type: 'boolean' },
  max_output_tokens: orNull(count()),
  reasoning: object({ effort: { type: ['string', 'null'] }, summary: nothing }),
  temperature: { type: ['number', 'null'] },
  top_p: { type: ['number', 'null'] },
  top_logprobs: count(),
  truncation: text(),
  metadata: anyObject(),
};

const usage = object({
  input_tokens: count(),
  input_tokens_details: object({ cached_tokens: count('Of the prompt, not evaluated again.') }),
  output_tokens: count('Reasoning included.'),
  output_tokens_details: object({ reasoning_tokens: count() }),
  total_tokens: count(),
});

const event = (name: string, members: Members = {}): JsonSchema =>
  object({ type: word(name), sequence_number: count('From 0 without a gap.'), ...members });
const place = { item_id: text(), output_index: count() };
const inContent = { ...place, content_index: { const: 0 } };
const inSummary = { ...place, summary_index: { const: 0 } };
const whole = { response: ref('Response') };
const itemAt = { output_index: count(), item: ref('ResponseOutputItem') };

const errorMembers = {
  message: text('For people.'),
  param: { type: ['string', 'null'], description: 'The field that is wrong, such as `input[0].content`.' },
  code: text('For programs.'),
};
const error = object({ ...errorMembers, type: word('invalid_request_error', 'server_error', 'requests', 'tokens') });

const events: readonly JsonSchema[] = [
  event('response.created', whole),
  event('response.in_progress', whole),
  event('response.output_item.added', itemAt),
  event('response.content_part.added', { ...inContent, part: textPart }),
  event('response.output_text.delta', { ...inContent, delta: text(), logprobs }),
  event('response.output_text.done', { ...inContent, text: text(), logprobs }),
  event('response.content_part.done', { ...inContent, part: textPart }),
  event('response.reasoning_summary_part.added', { ...inSummary, part: summaryPart }),
  event('response.reasoning_summary_text.delta', { ...inSummary, delta: text() }),
  event('response.reasoning_summary_text.done', { ...inSummary, text: text() }),
  event('response.reasoning_summary_part.done', { ...inSummary, part: summaryPart }),
  event('response.function_call_arguments.delta', { ...place, delta: text() }),
  event('response.function_call_arguments.done', { ...place, name: text(), arguments: text() }),
  event('response.custom_tool_call_input.delta', { ...place, delta: text() }),
  event('response.custom_tool_call_input.done', { ...place, input: text() }),
  event('response.output_item.done', itemAt),
  event('response.completed', whole),
  event('response.incomplete', whole),
  event('keepalive'),
  { ...ref('ResponseErrorEvent'), description: 'The last event of a stream that failed.' },
];

/** Responses, events and errors. */
const ANSWERS: Readonly<Record<string, JsonSchema>> = {
  Response: object({
    id: text('The same in all events.'),
    object: word('response'),
    created_at: seconds,
    completed_at: orNull(seconds),
    model: text('Slug of the deployment.'),
    status: word('in_progress', 'completed', 'incomplete'),
    error: nothing,
    incomplete_details: orNull(object({ reason: word('max_output_tokens', 'content_filter') })),
    output: list(ref('ResponseOutputItem'), { description: 'Empty while in progress.' }),
    usage: orNull(ref('ResponseUsage')),
    store: { type: 'boolean', description: 'Whether later requests can refer to it.' },
    background: { const: false },
    previous_response_id: { type: ['string', 'null'] },
    ...echoed,
  }),
  ResponseOutputItem: item,
  DeletedResponse: object({ id: text(), object: word('response'), deleted: { const: true } }),
  ResponseItemList: object({
    object: word('list'),
    data: list(anyObject('An item of the conversation, with an id.')),
    first_id: { type: ['string', 'null'] },
    last_id: { type: ['string', 'null'] },
    has_more: { type: 'boolean' },
  }),
  ResponseUsage: usage,
  ResponseStreamEvent: { anyOf: events },
  ResponsesError: object({ error }),
  ResponseErrorEvent: event('error', { ...errorMembers, error }),
};

const inQuery = (name: string, schema: JsonSchema): JsonSchema => ({ name, in: 'query', required: false, schema });

/** A stored response. */
const STORED_ONE = {
  path: '/v1/responses/{id}',
  pathParameters: [
    { name: 'id', in: 'path', required: true, description: 'Id of a stored response.', schema: { type: 'string', pattern: '^resp_' } },
  ],
};

/** The responses contract, for the OpenAPI document. */
export const responsesOpenApi: SurfaceDescription = {
  name: 'responses',
  description:
    'The responses contract. Base URL of its clients: the deployment, with `/v1`. Answers are stored for an hour where the deployment is set to store them.',
  schemas: { ...bodySchemas(ResponsesBody), ...ANSWERS },
  endpoints: [
    {
      path: '/v1/responses',
      id: 'createResponse',
      summary: 'Answers a conversation',
      description:
        'With `stream`, events are named by their type. A stream that fails ends with `event: error`, without `response.completed` and without the last chunk of the body.',
      request: 'ResponseRequest',
      response: 'Response',
      event: 'ResponseStreamEvent',
      headers: { 'x-slipway-ignored': 'Tools of the request that are left out, such as `tools[8]`.' },
    },
    {
      ...STORED_ONE,
      method: 'get',
      id: 'getResponse',
      summary: 'Reads a stored response',
      description: 'Another account, an hour later, and a deployment that stores nothing get 404.',
      response: 'Response',
    },
    {
      ...STORED_ONE,
      method: 'delete',
      id: 'deleteResponse',
      summary: 'Deletes a stored response',
      description: 'Responses that continue it hold its conversation, and stay.',
      response: 'DeletedResponse',
    },
    {
      ...STORED_ONE,
      path: '/v1/responses/{id}/input_items',
      method: 'get',
      id: 'listResponseInputItems',
      summary: 'Lists the conversation that a stored response answers',
      description: 'With the items of the responses that it continues.',
      query: [
        inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 20 }),
        inQuery('order', { type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
        inQuery('after', text('Id of the item before the first one of the list.')),
      ],
      response: 'ResponseItemList',
    },
  ],
  error: 'ResponsesError',
  model: 'ChatModel',
  models: 'ChatModelList',
};
