import type { Engine } from './engine.js';
import type { Target } from './target.js';

export const CONTRACTS = ['chat', 'messages', 'responses', 'embeddings'] as const;
export type ContractName = (typeof CONTRACTS)[number];

/** Other deployments that some cases need, and what each of them is. */
export const OTHERS = {
  alias: 'the same deployment under its other name',
  stopped: 'a deployment that is stopped',
  text: 'a deployment whose model takes no images',
  limited: 'the same engine with a default limit of 2 tokens for an answer',
  embeddings: 'a deployment that makes embeddings',
  matryoshka: 'a deployment that makes embeddings and shortens them',
  store: 'a deployment that keeps answers of the responses contract',
} as const;
export type OtherName = keyof typeof OTHERS;

/** What a case needs beside a target. */
export type Need = 'engine' | 'revoke' | OtherName;

/** A key, and how it is revoked. */
export interface SpareKey {
  readonly value: string;
  readonly revoke: () => Promise<void>;
}

/** What a case runs on. */
export interface Stage {
  readonly target: Target;
  /** @throws Error unless the case needs it */
  readonly engine: Engine;
  /** Requests that reached the scripted engine in this case; null where it is not in use. */
  readonly engineCalls: number | null;
  other(name: OtherName): Target;
  spareKey(): SpareKey;
}

/** A part of a numbered acceptance case. */
export interface Part {
  /** Of the case in its contract. */
  readonly number: number;
  /** What is sent, and what must come. */
  readonly promise: string;
  /** What a real client makes of a failure. */
  readonly breaks: string;
  readonly needs?: readonly Need[];
  /** Holds only for a target that keeps no answers. */
  readonly stateless?: true;
  /** Longest time it may take, in milliseconds; absent = 30,000. Parts with a time of their own run beside all others. */
  readonly limitMs?: number;
  /** @throws Mismatch */
  run(stage: Stage): Promise<void>;
}
