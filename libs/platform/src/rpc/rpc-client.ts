import { answererOf, callSubjectOf, isErrorCode, PROOF_HEADER, type Role, type RpcContract, ServiceError } from '@slipway/contracts';
import { errors, headers, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { z } from 'zod';
import { roleOf } from '../nats/connect.js';
import { ask, type Question } from '../nats/questions.js';
import { noteRelease } from '../releases/releases.js';

/** Wire format of an RPC reply. Errors contain public text only. */
export const Envelope = z.union([
  z.object({ ok: z.literal(true), data: z.unknown() }),
  z.object({
    ok: z.literal(false),
    error: z.object({ code: z.string(), message: z.string(), param: z.string().optional(), retry_after_s: z.number().optional() }),
  }),
]);
export type Envelope = z.infer<typeof Envelope>;

/** Why a call got no reply. `absent`: the NATS server knows no process that serves it. */
export type SilenceReason = 'absent' | 'timeout' | 'disconnected';

/** `unavailable`, because the other service did not reply. */
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

/** Calls other services over one connection, in that connection's role. */
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

  /** A client whose calls carry this proof. */
  withProof(proof: string): RpcClient {
    return new RpcClient(this.nats, this.env, proof);
  }

  /**
   * Sends one request and waits for the contract's timeout at most.
   * @param tokens of the subject besides the environment, such as the called agent.
   * @throws UnansweredError when no reply came; ServiceError with the service's code; `internal` when the reply violates the
   *   contract.
   */
  async call<C extends RpcContract>(
    contract: C,
    request: z.input<C['request']>,
    tokens: Readonly<Record<string, string>> = {},
  ): Promise<z.output<C['reply']>> {
    const subject = callSubjectOf(contract, { ...tokens, env: this.env }, this.#role);
    const answerer = answererOf(contract, tokens);
    const answer = await this.#ask({ subject, payload: JSON.stringify(request), answerer, timeoutMs: contract.timeoutMs });
    noteRelease(this.nats, contract.owner, answer);
    const envelope = Envelope.safeParse(parse(answer.string())).data;
    if (!envelope) throw new ServiceError('internal', 'The answer of a service has an unknown form.', { cause: subject });
    if (!envelope.ok) throw toServiceError(envelope.error);
    const reply = contract.reply.safeParse(envelope.data);
    if (!reply.success) throw new ServiceError('internal', 'The answer of a service violates its contract.', { cause: reply.error });
    return reply.data as z.output<C['reply']>;
  }

  async #ask(question: Question): Promise<Msg> {
    try {
      return await ask(this.nats, { ...question, ...(this.#headers && { headers: this.#headers }) });
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
