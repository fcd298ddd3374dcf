import { answererOf, callSubjectOf, isErrorCode, PROOF_HEADER, type Role, type RpcContract, ServiceError } from '@slipway/contracts';
import { errors, headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import { roleOf } from '../nats/connect.js';
import { ask, type Question } from '../nats/questions.js';
import { Envelope } from './envelope.js';

/** Why a question got no answer at all. `absent`: the server knows of nobody who serves it. */
export type SilenceReason = 'absent' | 'timeout' | 'disconnected';

/** `unavailable` without an answer from the other service. */
export class UnansweredError extends ServiceError {
  constructor(
    readonly reason: SilenceReason,
    subject: string,
    cause: unknown,
  ) {
    super('unavailable', 'A service that this needs does not answer; try again soon.', {
      retryAfterS: 1,
      cause: new Error(`${subject}: ${reason}`, { cause }),
    });
    this.name = 'UnansweredError';
  }
}

/** Asks other services over one connection, as the role that the connection has. */
export class RpcClient {
  readonly #role: Role;
  readonly #headers: MsgHdrs | undefined;

  constructor(
    private readonly nats: NatsConnection,
    private readonly env: string,
    proof?: string,
  ) {
    this.#role = roleOf(nats);
    if (proof === undefined) return;
    this.#headers = headers();
    this.#headers.set(PROOF_HEADER, proof);
  }

  /** A client whose calls carry this proof of who asks. */
  withProof(proof: string): RpcClient {
    return new RpcClient(this.nats, this.env, proof);
  }

  /**
   * Asks once and waits at most the contract's deadline.
   * @param tokens of a subject that names more than the environment, such as the one agent that is asked.
   * @throws UnansweredError when nobody answered; ServiceError with the code that the service gave;
   *   `internal` when the answer does not follow the contract.
   */
  async call<C extends RpcContract>(
    contract: C,
    request: z.input<C['request']>,
    tokens: Readonly<Record<string, string>> = {},
  ): Promise<z.output<C['reply']>> {
    const subject = callSubjectOf(contract, { ...tokens, env: this.env }, this.#role);
    const answerer = answererOf(contract, tokens);
    const bytes = await this.#ask({ subject, payload: JSON.stringify(request), answerer, timeoutMs: contract.timeoutMs });
    const envelope = Envelope.safeParse(parse(bytes)).data;
    if (!envelope) throw new ServiceError('internal', 'A service answered in an unknown form.', { cause: subject });
    if (!envelope.ok) throw toServiceError(envelope.error);
    const reply = contract.reply.safeParse(envelope.data);
    if (!reply.success) throw new ServiceError('internal', 'A service answered against its contract.', { cause: reply.error });
    return reply.data as z.output<C['reply']>;
  }

  async #ask(question: Question): Promise<string> {
    try {
      return (await ask(this.nats, { ...question, ...(this.#headers && { headers: this.#headers }) })).string();
    } catch (error) {
      throw new UnansweredError(silenceReason(error), question.subject, error);
    }
  }
}

function silenceReason(error: unknown): SilenceReason {
  if (error instanceof errors.NoRespondersError) return 'absent';
  return error instanceof errors.TimeoutError ? 'timeout' : 'disconnected';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function toServiceError(error: Extract<Envelope, { ok: false }>['error']): ServiceError {
  const code = isErrorCode(error.code) ? error.code : 'internal';
  return new ServiceError(code, error.message, { param: error.param, retryAfterS: error.retry_after_s });
}
