import { type CanonicalRequest, type ContentPart, textOf } from '@slipway/contracts';

/** What an image takes in a prompt, roughly: a few hundred tokens in the models of today. */
export const IMAGE_TOKENS = 512;

/** UTF-8 bytes of everything that the prompt is made of, images aside. */
export function promptBytes(request: CanonicalRequest): number {
  let bytes = request.tools === undefined ? 0 : Buffer.byteLength(JSON.stringify(request.tools));
  for (const message of request.messages) {
    bytes += Buffer.byteLength(textOf(message));
    if (message.role !== 'assistant') continue;
    bytes += Buffer.byteLength(message.reasoning ?? '');
    for (const { name, arguments: args } of message.tool_calls ?? []) bytes += Buffer.byteLength(name) + Buffer.byteLength(args);
  }
  return bytes;
}

/** About four bytes make a token; used where a server does not count. */
export function estimatePromptTokens(request: CanonicalRequest): number {
  let images = 0;
  for (const { content } of request.messages) images += content.filter(({ type }: ContentPart) => type === 'image').length;
  return Math.ceil(promptBytes(request) / 4) + images * IMAGE_TOKENS;
}
