import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { FULL as CHAT } from './chat/request.samples.js';
import { ChatBody } from './chat/schema.js';
import { EmbeddingsBody } from './embeddings/schema.js';
import { FULL as MESSAGES } from './messages/request.samples.js';
import { CountBody, MessageBody } from './messages/schema.js';
import { mutationsOf } from './mutations.samples.js';
import { FULL as RESPONSES } from './responses/request.samples.js';
import { ResponsesBody } from './responses/schema.js';
import { compile } from './shared/checker.js';

/** zod compares the `length` of whatever it gets, which throws for some values. */
const isTakenByZod = (schema: z.ZodObject, body: unknown): boolean => {
  try {
    return schema.safeParse(body).success;
  } catch {
    return false;
  }
};

describe('the check compiled from a schema', () => {
  it.each<[string, z.ZodObject, object]>([
    ['chat completions', ChatBody, CHAT],
    ['messages', MessageBody, MESSAGES],
    ['count_tokens', CountBody, MESSAGES],
    ['responses', ResponsesBody, RESPONSES],
    ['embeddings', EmbeddingsBody, { model: 'm', input: ['a', 'b'], encoding_format: 'base64', dimensions: 5 }],
  ])('takes what zod takes: %s', (_, schema, full) => {
    const check = compile(schema);
    expect(check(full)).toBeNull();
    let taken = 0;
    let refused = 0;
    for (const body of mutationsOf(full)) {
      const isTaken = check(body) === null;
      if (isTaken) taken += 1;
      else refused += 1;
      if (isTaken !== isTakenByZod(schema, body)) expect.unreachable(`zod and the check differ on ${JSON.stringify(body)}`);
    }
    expect(Math.min(taken, refused)).toBeGreaterThan(10);
  });
});
