import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { randomToken } from '../secrets/random-token.js';

/** Questions of one connection that may wait at once; more are refused. */
const QUESTIONS_MAX = 20_000;
const NO_RESPONDERS = 503;

/** One question to another process. */
export interface Question {
  readonly subject: string;
  readonly payload: string;
  readonly headers?: MsgHdrs;
  /** Who may answer, as the tokens that this role's permission to publish names; see `answererOf` of the contracts. */
  readonly answerer: string;
  readonly timeoutMs: number;
}

interface Waiting {
  readonly subject: string;
  readonly settle: (outcome: Msg | Error) => void;
}

/**
 * The questions of one connection. All answers come to one subscription; the subject of each answer names who may give it and
 * 128 random bits of its own, so that no other process can answer in its place.
 */
class Questions {
  readonly #waiting = new Map<string, Waiting>();

  constructor(
    private readonly nats: NatsConnection,
    private readonly inbox: string,
  ) {
    nats.subscribe(`${inbox}.>`, { callback: (error, msg) => (error ? undefined : this.#answered(msg)) });
    void nats.closed().then(() => this.#end(() => true, new errors.ConnectionError('the connection is closed')));
    void this.#watchRefusals();
  }

  ask({ subject, payload, headers, answerer, timeoutMs }: Question): Promise<Msg> {
    if (this.#waiting.size >= QUESTIONS_MAX) return Promise.reject(new errors.ConnectionError('too many questions wait'));
    const reply = `${this.inbox}.${answerer}.${randomToken()}`;
    return new Promise((resolve, reject) => {
      const settle = (outcome: Msg | Error): void => {
        clearTimeout(timer);
        this.#waiting.delete(reply);
        if (outcome instanceof Error) reject(outcome);
        else resolve(outcome);
      };
      const timer = setTimeout(() => settle(new errors.TimeoutError()), timeoutMs);
      this.#waiting.set(reply, { subject, settle });
      try {
        this.nats.publish(subject, payload, { reply, ...(headers && { headers }) });
      } catch (error) {
        settle(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  #answered(msg: Msg): void {
    const waiting = this.#waiting.get(msg.subject);
    const nobody = msg.data.length === 0 && msg.headers?.code === NO_RESPONDERS;
    waiting?.settle(nobody ? new errors.NoRespondersError(waiting.subject) : msg);
  }

  /** The server refuses to take a question: nobody will answer it. */
  async #watchRefusals(): Promise<void> {
    for await (const { type, ...status } of this.nats.status()) {
      const error = type === 'error' && 'error' in status ? status.error : undefined;
      if (!(error instanceof errors.PermissionViolationError) || error.operation !== 'publish') continue;
      this.#end(({ subject }) => subject === error.subject, error);
    }
  }

  #end(which: (waiting: Waiting) => boolean, error: Error): void {
    for (const waiting of [...this.#waiting.values()].filter(which)) waiting.settle(error);
  }
}

const inboxes = new WeakMap<NatsConnection, string>();
const questions = new WeakMap<NatsConnection, Questions>();

/** Names the inbox of a connection, before its first question. */
export const setInbox = (nats: NatsConnection, inbox: string): void => void inboxes.set(nats, inbox);

/** Where answers to this connection arrive: under this prefix it may subscribe to everything. */
function inboxOf(nats: NatsConnection): string {
  const inbox = inboxes.get(nats) ?? createInbox();
  inboxes.set(nats, inbox);
  return inbox;
}

/**
 * Asks and waits for the one answer.
 * @throws NoRespondersError where the server knows of nobody who listens, TimeoutError, PermissionViolationError where the
 *   server refuses the question, ConnectionError of a closed connection.
 */
export async function ask(nats: NatsConnection, question: Question): Promise<Msg> {
  if (nats.isClosed()) throw new errors.ClosedConnectionError();
  let own = questions.get(nats);
  if (!own) questions.set(nats, (own = new Questions(nats, inboxOf(nats))));
  return await own.ask(question);
}
