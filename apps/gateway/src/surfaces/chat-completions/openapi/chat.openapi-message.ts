import type { JsonSchema } from '../../../openapi/description.js';
import { anyObject, list, ref, request, text, word } from '../../../openapi/schema-forms.js';

const textPart = request({ type: word('text'), text: text() }, ['type', 'text']);
const textOrParts: JsonSchema = { anyOf: [text(), list(textPart, { minItems: 1 })] };
const imagePart = request(
  {
    type: word('image_url'),
    image_url: request(
      {
        url: text('A `data:` URL of a PNG, JPEG, WebP or GIF, or an https URL on a host that the operator allows.'),
        detail: word('auto', 'low', 'high'),
      },
      ['url'],
    ),
  },
  ['type', 'image_url'],
);
const name: JsonSchema = { type: 'string', maxLength: 256 };

const call = request(
  {
    id: { type: 'string', minLength: 1 },
    type: word('function'),
    function: request({ name: { type: 'string', minLength: 1 }, arguments: { anyOf: [text('JSON text of an object.'), anyObject()] } }, [
      'name',
    ]),
  },
  ['id', 'function'],
);

const refusalPart = request({ type: word('refusal'), refusal: text() }, ['type', 'refusal']);

const assistant = request(
  {
    role: word('assistant'),
    content: { anyOf: [text(), list({ anyOf: [textPart, refusalPart] })] },
    name,
    refusal: text(),
    reasoning_content: text('What the model thought in that turn. `reasoning` is another name for it.'),
    tool_calls: list(call, { maxItems: 128 }),
  },
  ['role'],
);

/** Messages of a conversation. */
export const CHAT_MESSAGES: Readonly<Record<string, JsonSchema>> = {
  ChatMessage: {
    anyOf: [
      { ...ref('ChatSystemMessage') },
      { ...ref('ChatUserMessage') },
      { ...ref('ChatAssistantMessage') },
      { ...ref('ChatToolMessage') },
    ],
  },
  ChatSystemMessage: request({ role: word('system', 'developer'), content: textOrParts, name }, ['role', 'content']),
  ChatUserMessage: request(
    { role: word('user'), content: { anyOf: [text(), list({ anyOf: [textPart, imagePart] }, { minItems: 1 })] }, name },
    ['role', 'content'],
  ),
  ChatAssistantMessage: assistant,
  ChatToolMessage: request({ role: word('tool'), tool_call_id: { type: 'string', minLength: 1 }, content: textOrParts, name }, [
    'role',
    'tool_call_id',
    'content',
  ]),
};
