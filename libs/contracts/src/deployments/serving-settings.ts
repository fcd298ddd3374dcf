import { z } from 'zod';

/** A caller's own name for one creation, of its account alone. */
export const IdempotencyKey = z.string().regex(/^[\x21-\x7e]{1,128}$/, 'An idempotency key has 1 to 128 visible ASCII characters.');
/** Credential of an HTTP engine. Stored encrypted, never returned. */
export const EngineCredential = z.string().min(1).max(4_096);
/** Tokens per sequence; absent = the model's own. */
export const ContextSize = z.int().min(64).max(10_000_000);
/** Requests served at once by one replica. */
export const SlotCount = z.int().min(1).max(1_024);
/** Threads of one replica of a model in llama.cpp. */
export const ThreadCount = z.int().min(1).max(1_024);
/** Upper bound of an answer whose request names none. */
export const DefaultMaxTokens = z.int().positive();
