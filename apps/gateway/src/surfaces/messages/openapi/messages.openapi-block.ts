import type { JsonSchema } from '../../../openapi/description.js';
import { anyObject, flag, list, request, text, word } from '../../../openapi/schema-forms.js';

const filled: JsonSchema = { type: 'string', minLength: 1 };

const textBlock = request({ type: word('text'), text: text() }, ['type', 'text']);
const texts: JsonSchema = { anyOf: [text(), list(textBlock)] };

const image = request(
  {
    type: word('image'),
    source: {
      anyOf: [
        request({ type: word('base64'), media_type: word('image/png', 'image/jpeg', 'image/webp', 'image/gif'), data: filled }, [
          'type',
          'media_type',
          'data',
        ]),
        request({ type: word('url'), url: text('A `data:` URL, or an https URL on a host that the operator allows.') }, ['type', 'url']),
      ],
    },
  },
  ['type', 'source'],
);

const document = request(
  {
    type: word('document'),
    title: text(),
    context: text(),
    source: {
      anyOf: [
        request({ type: word('text'), data: text() }, ['type', 'data']),
        request({ type: word('content'), content: { anyOf: [text(), list({ anyOf: [textBlock, image] })] } }, ['type', 'content']),
      ],
    },
  },
  ['type', 'source'],
);

const searchResult = request({ type: word('search_result'), title: text(), source: text(), content: texts }, [
  'type',
  'title',
  'source',
  'content',
]);

const toolReference = request({ type: word('tool_reference'), tool_name: text('A tool whose loading was deferred.') }, [
  'type',
  'tool_name',
]);

const toolResult = request(
  {
    type: word('tool_result'),
    tool_use_id: text('Of a call in the assistant message before.'),
    is_error: flag(),
    content: { anyOf: [text(), list({ anyOf: [textBlock, image, document, searchResult, toolReference] })] },
  },
  ['type', 'tool_use_id'],
);

const toolUse = request({ type: word('tool_use'), id: filled, name: filled, input: anyObject() }, ['type', 'id', 'name']);
const thinking = request({ type: word('thinking'), thinking: text(), signature: text('Never looked at.') }, ['type']);
const redacted = request({ type: word('redacted_thinking') }, ['type']);

/** Messages of a conversation and their blocks. */
export const MESSAGES_BLOCKS: Readonly<Record<string, JsonSchema>> = {
  MessageParam: {
    anyOf: [
      request(
        {
          role: word('user'),
          content: {
            anyOf: [
              { type: 'string', minLength: 1 },
              list({ anyOf: [textBlock, image, document, searchResult, toolResult] }, { minItems: 1 }),
            ],
          },
        },
        ['role', 'content'],
      ),
      request({ role: word('assistant'), content: { anyOf: [text(), list({ anyOf: [textBlock, toolUse, thinking, redacted] })] } }, [
        'role',
        'content',
      ]),
      request({ role: word('system'), content: texts }, ['role', 'content']),
    ],
  },
  SystemPrompt: texts,
};
