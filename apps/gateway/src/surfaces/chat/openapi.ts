import { bodySchemas } from '../../openapi/body-schemas.js';
import { count, type JsonSchema, list, object, orNull, ref, type SurfaceDescription, text, word } from '../../openapi/description.js';
import { ChatBody } from './schema.js';

const finish = word('stop', 'length', 'tool_calls', 'content_filter');
const created: JsonSchema = { type: 'integer', description: 'Seconds since 1970.' };
const probability = { token: text(), logprob: { type: 'number' }, bytes: list(count()) };

const details = object({ cached_tokens: count('Of the prompt, not evaluated again.'), audio_tokens: count() });
const completionDetails = object({
  reasoning_tokens: count(),
  audio_tokens: count(),
  accepted_prediction_tokens: count(),
  rejected_prediction_tokens: count(),
});

const toolCall = object({
  id: text(),
  type: word('function'),
  function: object({ name: text(), arguments: text('JSON text of an object; broken where `length` cut it.') }),
});

const toolCallDelta = object(
  {
    index: count('Numbers the calls of a choice from 0.'),
    id: text('With the first piece only, like `type` and `function.name`.'),
    type: word('function'),
    function: object({ name: text(), arguments: text('A piece; all pieces together are JSON text of an object.') }, ['name']),
  },
  ['id', 'type'],
);

const message = object(
  {
    role: word('assistant'),
    content: { type: ['string', 'null'], description: 'Null where there are only calls.' },
    refusal: { type: 'null' },
    reasoning_content: text('What the model thought, where it did.'),
    tool_calls: list(toolCall, { minItems: 1 }),
  },
  ['reasoning_content', 'tool_calls'],
);

const delta = object(
  { role: word('assistant'), content: text(), reasoning_content: text(), tool_calls: list(toolCallDelta, { minItems: 1, maxItems: 1 }) },
  ['role', 'content', 'reasoning_content', 'tool_calls'],
);

const model = object(
  {
    id: text(),
    object: word('model'),
    created: { const: 0 },
    owned_by: text('Slug of the account.'),
    max_model_len: count('Context in tokens, as vLLM names it.'),
    context_length: count('The same, as OpenRouter names it.'),
    architecture: object({
      modality: text('Such as `text->text`.'),
      input_modalities: list(word('text', 'image'), { minItems: 1 }),
      output_modalities: list(word('text', 'embeddings'), { minItems: 1 }),
    }),
    supported_parameters: list(text(), { description: 'Request fields that have an effect.' }),
    top_provider: object({
      context_length: orNull(count()),
      max_completion_tokens: orNull(count('Null where nothing is generated.')),
      is_moderated: { const: false },
    }),
  },
  ['max_model_len', 'context_length', 'architecture', 'supported_parameters', 'top_provider'],
);

/** Responses, chunks and errors. */
const ANSWERS: Readonly<Record<string, JsonSchema>> = {
  ChatCompletion: object({
    id: text(),
    object: word('chat.completion'),
    created,
    model: text('Slug of the deployment.'),
    choices: list(object({ index: count(), message, logprobs: orNull(ref('ChatLogprobs')), finish_reason: finish }), { minItems: 1 }),
    usage: ref('ChatUsage'),
  }),
  ChatCompletionChunk: {
    anyOf: [
      object(
        {
          id: text('The same in all chunks.'),
          object: word('chat.completion.chunk'),
          created,
          model: text('Slug of the deployment.'),
          choices: list(object({ index: count(), delta, logprobs: orNull(ref('ChatLogprobs')), finish_reason: orNull(finish) }), {
            maxItems: 1,
            description: 'Empty in the chunk of the token counts.',
          }),
          usage: orNull(ref('ChatUsage')),
        },
        ['usage'],
      ),
      { ...ref('ChatError'), description: 'The last event of a stream that failed.' },
    ],
  },
  ChatUsage: object({
    prompt_tokens: count(),
    completion_tokens: count('Of all choices.'),
    total_tokens: count(),
    prompt_tokens_details: details,
    completion_tokens_details: completionDetails,
  }),
  ChatLogprobs: object({ content: list(object({ ...probability, top_logprobs: list(object(probability)) })), refusal: { type: 'null' } }),
  ChatError: object({
    error: object({
      message: text('For people.'),
      type: word('invalid_request_error', 'server_error', 'requests', 'tokens'),
      param: { type: ['string', 'null'], description: 'The field that is wrong, such as `messages[0].content`.' },
      code: text('For programs.'),
    }),
  }),
  ChatModel: model,
  ChatModelList: object({ object: word('list'), data: list(ref('ChatModel'), { minItems: 1, maxItems: 1 }) }),
};

/** The chat-completions contract, for the OpenAPI document. */
export const chatOpenApi: SurfaceDescription = {
  name: 'chat completions',
  description: 'The chat-completions contract. Base URL of its clients: the deployment, with `/v1`.',
  schemas: { ...bodySchemas(ChatBody), ...ANSWERS },
  endpoints: [
    {
      path: '/v1/chat/completions',
      id: 'createChatCompletion',
      summary: 'Answers a conversation',
      description:
        'With `stream`, events hold one chunk each, and the last one the text `[DONE]`. A stream that fails ends with an event that holds an error, without `[DONE]` and without the last chunk of the body.',
      request: 'ChatCompletionRequest',
      response: 'ChatCompletion',
      event: 'ChatCompletionChunk',
    },
  ],
  error: 'ChatError',
  model: 'ChatModel',
  models: 'ChatModelList',
};
