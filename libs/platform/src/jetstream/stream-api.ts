import type { NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { ask } from '../nats/questions.js';

/** Its answers come from the server itself: no user may publish them. */
const JETSTREAM = 'jetstream';

/** JetStream's own answer that something went wrong. */
export class JetStreamError extends Error {
  constructor(
    readonly code: number,
    description: string,
  ) {
    super(description);
    this.name = 'JetStreamError';
  }
}

const Failure = z.object({ error: z.object({ code: z.number(), err_code: z.number().optional(), description: z.string().optional() }) });

/**
 * Asks JetStream, whose subjects and JSON are public: four calls are too few for a library that needs the rights to look
 * around first.
 * @throws JetStreamError with what it refuses; the client's errors where it does not answer.
 */
export async function askJetStream(nats: NatsConnection, subject: string, request: object | string, timeoutMs: number): Promise<unknown> {
  const payload = typeof request === 'string' ? request : JSON.stringify(request);
  const answer: unknown = (await ask(nats, { subject, payload, answerer: JETSTREAM, timeoutMs })).json();
  // Every record that is kept comes by here: no schema is asked about an answer that tells of no failure.
  const told = typeof answer === 'object' && answer !== null && 'error' in answer;
  const failure = told ? Failure.safeParse(answer).data?.error : undefined;
  if (failure) throw new JetStreamError(failure.code, failure.description ?? `JetStream refuses with code ${failure.code}`);
  return answer;
}
