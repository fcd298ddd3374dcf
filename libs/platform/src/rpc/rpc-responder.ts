import {
  callerOf,
  checkToSend,
  type ErrorCode,
  isServiceError,
  type Proof,
  PROOF_HEADER,
  type Role,
  type RpcContract,
  servedSubjectsOf,
  ServiceError,
  wildcardOf,
} from '@slipway/contracts';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import type { Logger } from '../log/logger.js';
import { releaseHeaders } from '../releases/releases.js';
import type { Envelope } from './rpc-client.js';

const ALWAYS_POSSIBLE: readonly ErrorCode[] = [
  ...(['invalid_request', 'unavailable', 'internal'] as const),
  ...(['not_permitted', 'account_suspended', 'session_ended', 'auth_unavailable'] as const),
];
/** Proofs without a token: the role suffices, or the handler checks the request's content. */
const UNCHECKED: readonly (Proof | undefined)[] = [undefined, 'role', 'carried'];

/** A call whose request matches the schema. */
export interface ArrivedCall {
  readonly contract: RpcContract;
  /** The caller's role, proven by NATS. */
  readonly caller: Role;
  /** The proof as sent, not verified. */
  readonly proof: string | undefined;
  readonly request: unknown;
}

/** Admits a call and returns the request for the handler. @throws ServiceError for a refused call */
export type Admission = (call: ArrivedCall) => Promise<unknown>;

/** Called for an admitted call that its handler refused. @param request as the handler got it */
export type RefusalListener = (call: ArrivedCall, request: unknown, refusal: ServiceError) => void;

/** What an `RpcResponder` needs. */
export interface RpcResponderOptions {
  readonly nats: NatsConnection;
  readonly env: string;
  readonly log: Logger;
  /** Tokens of the subject besides the environment, such as the answering agent. */
  readonly tokens?: Readonly<Record<string, string>>;
  /** Verifies proofs; absent only where no served contract needs one. */
  readonly admit?: Admission;
  readonly refused?: RefusalListener;
  /** Called when a call is answered. @param method such as `key.create-key`; @param seconds how long it took */
  readonly answered?: (method: string, seconds: number) => void;
}

/**
 * Serves one RPC in its contract's queue group to the roles that may call it. Requests and replies are validated. An error that
 * the contract does not name is logged and reaches the caller as `internal`.
 */
export class RpcResponder {
  readonly #subscriptions: readonly Subscription[];
  readonly #running = new Set<Promise<void>>();

  constructor(
    private readonly options: RpcResponderOptions,
    private readonly contract: RpcContract,
    private readonly handle: (request: unknown) => Promise<unknown>,
  ) {
    if (!options.admit && !UNCHECKED.includes(contract.proof)) throw new TypeError(`No gate verifies the proof of ${contract.subject}.`);
    const { nats, env, log, tokens } = options;
    const subject = wildcardOf(contract, { ...tokens, env });
    const callback = (error: Error | null, message: Msg): void => {
      if (error) return log.error({ subject, err: error }, 'rpc.subscription_failed');
      const call = this.#answer(message).finally(() => this.#running.delete(call));
      this.#running.add(call);
      return undefined;
    };
    this.#subscriptions = servedSubjectsOf(contract, subject).map((served) => nats.subscribe(served, { queue: contract.queue, callback }));
  }

  /** Unsubscribes, then waits for running calls. Where this was the last replica, callers get "no responders" at once. */
  async close(): Promise<void> {
    await Promise.all(this.#subscriptions.map((subscription) => subscription.drain().catch(() => undefined)));
    await Promise.all(this.#running);
  }

  async #answer(message: Msg): Promise<void> {
    // With another reply subject the caller could publish with this process's permissions.
    if (!message.reply?.startsWith('_INBOX')) return;
    const from = performance.now();
    let envelope: Envelope;
    try {
      envelope = { ok: true, data: await this.#call(message) };
    } catch (error) {
      envelope = { ok: false, error: this.#publicError(error) };
    }
    const [method, ms] = [methodOf(this.contract), performance.now() - from];
    this.options.answered?.(method, ms / 1_000);
    const caller = callerOf(this.contract, message.subject);
    this.options.log.debug(
      { method, caller, ms: Math.round(ms * 10) / 10, ...(!envelope.ok && { error: envelope.error.code }) },
      'rpc.answered',
    );
    if (this.#respond(message, envelope) || !envelope.ok) return;
    // The reply is too large for a message: the caller gets an error at once.
    this.#respond(message, {
      ok: false,
      error: { code: 'internal', message: 'The answer could not be sent; the log of the service says why.' },
    });
  }

  /** Publishes a reply. @returns whether it was sent */
  #respond(message: Msg, envelope: Envelope): boolean {
    try {
      return message.respond(JSON.stringify(envelope), { headers: releaseHeaders(this.contract.owner) });
    } catch (error) {
      this.options.log.error({ subject: this.contract.subject, err: error }, 'rpc.reply_failed');
      return false;
    }
  }

  async #call(message: Msg): Promise<unknown> {
    const caller = callerOf(this.contract, message.subject);
    if (caller === null) throw new ServiceError('not_permitted', 'This role may not call this.');
    const request = this.contract.request.safeParse(parse(message));
    if (!request.success) {
      const [issue] = request.error.issues;
      throw new ServiceError('invalid_request', issue?.message ?? 'The request is not valid.', { param: issue?.path.join('.') });
    }
    if (!this.#agrees(message.subject, request.data))
      throw new ServiceError('invalid_request', 'The request and its subject name different processes.');
    const call = { contract: this.contract, caller, proof: proofOf(message), request: request.data };
    return checkToSend(this.contract.reply, await this.#handle(call, await this.#admit(call)));
  }

  async #handle(call: ArrivedCall, request: unknown): Promise<unknown> {
    try {
      return await this.handle(request);
    } catch (error) {
      if (isServiceError(error)) this.options.refused?.(call, request, error);
      throw error;
    }
  }

  #admit(call: ArrivedCall): unknown {
    return this.options.admit ? this.options.admit(call) : call.request;
  }

  /** Whether request fields equal the subject tokens of the same name: NATS proves only the subject. */
  #agrees(subject: string, request: unknown): boolean {
    const tokens = subject.split('.');
    return this.contract.subject.split('.').every((token, i) => {
      const name = /^\{(\w+)\}$/.exec(token)?.[1];
      if (name === undefined || name === 'env' || typeof request !== 'object' || request === null) return true;
      return !Object.hasOwn(request, name) || (request as Record<string, unknown>)[name] === tokens[i];
    });
  }

  #publicError(error: unknown): Extract<Envelope, { ok: false }>['error'] {
    const { contract, options } = this;
    const known = isServiceError(error) && (contract.errors.includes(error.code) || ALWAYS_POSSIBLE.includes(error.code));
    if (!known || error.code === 'internal') options.log.error({ subject: contract.subject, err: error }, 'rpc.failed');
    if (!known) return { code: 'internal', message: 'The service failed; its log says why.' };
    return {
      code: error.code,
      message: error.message,
      ...(error.param !== undefined && { param: error.param }),
      ...(error.retryAfterS !== undefined && { retry_after_s: error.retryAfterS }),
    };
  }
}

/** `key.{env}.v1.rpc.create-key` is `key.create-key`. */
const methodOf = ({ subject }: RpcContract): string =>
  subject
    .split('.')
    .filter((token) => !/^(\{\w+\}|v\d+|rpc)$/.test(token))
    .join('.');

const proofOf = ({ headers }: Msg): string | undefined => headers?.get(PROOF_HEADER) || undefined;

function parse(message: Msg): unknown {
  try {
    return message.json();
  } catch {
    return undefined;
  }
}
