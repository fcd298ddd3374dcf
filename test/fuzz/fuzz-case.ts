import { Random } from '../engines/random.js';
import { chatBody } from './chat-bodies.js';
import { embeddingsBody } from './embeddings-bodies.js';
import { countBody, messagesBody } from './messages-bodies.js';
import { responsesBody } from './responses-bodies.js';
import { mutated, mutatedBytes } from './mutations.js';
import type { Body } from './valid-parts.js';

/** The endpoints, and what makes a body for each. */
export const ENDPOINTS = {
  chat: { path: '/v1/chat/completions', contract: 'chat', body: chatBody },
  messages: { path: '/v1/messages', contract: 'messages', body: messagesBody },
  responses: { path: '/v1/responses', contract: 'responses', body: responsesBody },
  count: { path: '/v1/messages/count_tokens', contract: 'messages', body: countBody },
  embeddings: { path: '/v1/embeddings', contract: 'chat', body: embeddingsBody },
} as const satisfies Record<
  string,
  { path: string; contract: 'chat' | 'messages' | 'responses'; body: (random: Random, model: string) => Body }
>;
export type Endpoint = keyof typeof ENDPOINTS;

const MIX: readonly Endpoint[] = [
  ...(['chat', 'chat', 'chat', 'messages', 'messages', 'messages'] as const),
  ...(['responses', 'responses', 'responses', 'count', 'count', 'embeddings', 'embeddings'] as const),
];

/** One request of a fuzz run. Equal seeds and names make equal requests. */
export interface FuzzCase {
  readonly seed: number;
  readonly endpoint: Endpoint;
  /** Deployment of the path. */
  readonly name: string;
  /** Nothing was changed: it must be answered. */
  readonly valid: boolean;
  readonly bytes: Buffer;
}

/** Deployments that a request may name: `able` has every capability, `others` lack some or all; `vectors` makes embeddings. */
export interface FuzzNames {
  readonly able: readonly string[];
  readonly vectors: readonly string[];
  readonly others: readonly string[];
}

/** The request that belongs to a seed: in ten, one is valid, one is broken as text, and eight are changed as JSON. */
export function fuzzCase(seed: number, { able, vectors, others }: FuzzNames): FuzzCase {
  const random = new Random(seed);
  const endpoint = random.pick(MIX);
  const kind = random.int(0, 9);
  const name = kind === 0 || random.chance(0.8) ? random.pick(endpoint === 'embeddings' ? vectors : able) : random.pick(others);
  const { body } = ENDPOINTS[endpoint];
  let document: unknown = body(random, name);
  if (kind === 0) return { seed, endpoint, name, valid: true, bytes: Buffer.from(JSON.stringify(document)) };
  if (kind === 1) return { seed, endpoint, name, valid: false, bytes: mutatedBytes(JSON.stringify(document), random) };
  const donor = ENDPOINTS[random.pick(MIX)].body(random, name);
  const changes = random.pick([1, 1, 1, 2, 3, 6]);
  for (let i = 0; i < changes; i += 1) document = mutated(document, random, donor);
  return { seed, endpoint, name, valid: false, bytes: Buffer.from(JSON.stringify(document) ?? '') };
}
