import { type CanonicalMessage, type CanonicalRequest, type ContentPart, ServiceError } from '@slipway/contracts';
import type { ImageFetcher } from './image-fetcher.js';

/** Images of one request that are fetched; each may be 10 MiB. */
const MAX_FETCHED = 16;

const isRemote = (part: ContentPart): boolean => part.type === 'image' && !part.url.startsWith('data:');
const remoteParts = ({ messages }: CanonicalRequest): number =>
  messages.reduce((sum, { content }) => sum + content.filter((part: ContentPart) => isRemote(part)).length, 0);

/**
 * The request with all its images inside it: no engine is ever given an address.
 * @throws ServiceError for an image that may not be fetched, or cannot be.
 */
export async function inlineImages(request: CanonicalRequest, fetcher: ImageFetcher, signal: AbortSignal): Promise<CanonicalRequest> {
  const remote = remoteParts(request);
  if (remote === 0) return request;
  if (remote > MAX_FETCHED) {
    throw new ServiceError('unsupported_content', `A request may name at most ${MAX_FETCHED} images by address.`, { param: 'messages' });
  }
  const messages: CanonicalMessage[] = [];
  for (const message of request.messages) {
    messages.push(message.role === 'user' ? { ...message, content: await inlineParts(message.content, fetcher, signal) } : message);
  }
  return { ...request, messages };
}

async function inlineParts(parts: readonly ContentPart[], fetcher: ImageFetcher, signal: AbortSignal): Promise<ContentPart[]> {
  const inlined: ContentPart[] = [];
  for (const part of parts) {
    inlined.push(part.type === 'image' && isRemote(part) ? { type: 'image', url: await fetcher.fetch(part.url, signal) } : part);
  }
  return inlined;
}
