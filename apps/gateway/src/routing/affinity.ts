import type { CanonicalRequest } from '@slipway/contracts';

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
/** Characters of a message that are hashed: enough to distinguish conversations. */
const SIGNIFICANT_CHARS = 16 * 1024;

/** 32-bit FNV-1a over UTF-16 code units. */
export function hashText(text: string, seed = OFFSET): number {
  let hash = seed;
  const length = Math.min(text.length, SIGNIFICANT_CHARS);
  for (let i = 0; i < length; i += 1) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash >>> 0;
}

/** Mixes the bits of a hash, so that similar values differ widely (finalizer of MurmurHash3). */
export function mix(hash: number): number {
  let h = hash;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

/**
 * A hash that stays the same over a conversation, so that its turns find the same cached prefix: of the client's key if it sent
 * one, else of the system messages and the first user message. Deployments belong to one account, so keys of different accounts
 * cannot collide.
 */
export function affinityOf(request: CanonicalRequest, clientKey: string | undefined): number {
  if (clientKey !== undefined) return hashText(clientKey);
  let hash = OFFSET;
  for (const message of request.messages) {
    if (message.role === 'assistant') continue;
    for (const part of message.content) hash = hashText(part.type === 'text' ? part.text : part.url, hashText(message.role, hash));
    if (message.role === 'user') break;
  }
  return hash;
}
