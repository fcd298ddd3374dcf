import { type CanonicalRequest, type ContentPart, textOf } from '@slipway/contracts';

/** What an image takes in a prompt, roughly: a few hundred tokens in the models of today. */
export const IMAGE_TOKENS = 512;

/** Every text of a conversation: what people, models and tools said. Tools' definitions and images are not among it. */
export function* textsOf({ messages }: CanonicalRequest): Generator<string> {
  for (const message of messages) {
    yield textOf(message);
    if (message.role !== 'assistant') continue;
    if (message.reasoning !== undefined) yield message.reasoning;
    for (const { name, arguments: args } of message.tool_calls ?? []) {
      yield name;
      yield args;
    }
  }
}

/** UTF-8 bytes of everything that the prompt is made of, images aside. */
export function promptBytes(request: CanonicalRequest): number {
  let bytes = request.tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(request.tools));
  for (const text of textsOf(request)) bytes += Buffer.byteLength(text);
  return bytes;
}

/** About four bytes make a token; used where a server does not count. */
export function estimatePromptTokens(request: CanonicalRequest): number {
  let images = 0;
  for (const { content } of request.messages) images += content.filter(({ type }: ContentPart) => type === 'image').length;
  return Math.ceil(promptBytes(request) / 4) + images * IMAGE_TOKENS;
}
