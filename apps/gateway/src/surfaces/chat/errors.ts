import { type CanonicalRequest, ERRORS, type ServiceError } from '@slipway/contracts';
import { type ErrorObject, errorObject, lackOf as lackAt } from '../shared/error-object.js';
import { publicCode } from '../shared/faults.js';
import type { ErrorFormat } from '../surface.js';

/** Clients search for this text to recognise a prompt that is too long. */
function contextMessage({ message, facts }: ServiceError): string {
  const { tokens, context, estimated } = facts ?? {};
  if (tokens === undefined || context === undefined) {
    return `The prompt is too long: its input tokens exceed the configured limit, this model's maximum context length. ${message}`;
  }
  const come = `${estimated ? 'about ' : ''}${tokens} tokens`;
  return `The prompt is too long: this model's maximum context length is ${context} tokens, but the messages come to ${come}. Shorten the messages.`;
}

/** The object under `error`, always with all four keys. */
export const chatErrorObject = (error: ServiceError): ErrorObject => errorObject(error, { field: 'messages', tooLong: contextMessage });

/** Errors as the chat contract writes them. */
export const chatErrors: ErrorFormat = {
  status: (error) => ERRORS[publicCode(error)].status,
  body: (error) => JSON.stringify({ error: chatErrorObject(error) }),
};

/** Fields whose names differ from their capabilities. */
const FIELDS = { continue_final: 'continue_final_message', template_args: 'chat_template_kwargs' } as const;

/** The error of a request that needs what its deployment lacks; null = it lacks nothing. @param output field that requests the output format. */
export const lackOf = (request: CanonicalRequest, caps: readonly string[], output = 'response_format'): ServiceError | null =>
  lackAt(request, caps, { output, image: () => imageIn(request), call: () => callIn(request), fields: FIELDS });

function callIn({ messages }: CanonicalRequest): string {
  const at = messages.findIndex((turn) => turn.role === 'tool' || (turn.role === 'assistant' && turn.tool_calls));
  return messages[at]?.role === 'tool' ? `messages[${at}].role` : `messages[${at}].tool_calls`;
}

/** The path of the first image; around images, parts keep their positions. */
function imageIn({ messages }: CanonicalRequest): string {
  const at = messages.findIndex(({ content }) => content.some(({ type }) => type === 'image'));
  const part = messages[at]?.content.findIndex(({ type }) => type === 'image') ?? 0;
  return `messages[${at}].content[${part}].image_url`;
}
