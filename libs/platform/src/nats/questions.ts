import { createInbox, errors, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { randomToken } from '../secrets/random-token.js';

/** Most pending requests of one connection; further ones are refused. */
const QUESTIONS_MAX = 20_000;
const NO_RESPONDERS = 503;

/** A request to another process. */
export interface Question {
  readonly subject: string;
  readonly payload: string;
  readonly headers?: MsgHdrs;
  /** Who may answer, as tokens of the reply subject; see `answererOf`. */
  readonly answerer: string;
  readonly timeoutMs: number;
}

interface Waiting {
  readonly subject: string;
  readonly settle: (outcome: Msg | Error) => void;
}

/**
 * The pending requests of one connection. All replies arrive on one subscription. The subject of each reply names who may send it
 * and contains 128 random bits, so that no other process can answer.
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
    if (this.#waiting.size >= QUESTIONS_MAX) return Promise.reject(new errors.ConnectionError('too many requests are pending'));
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
    const unserved = msg.data.length === 0 && msg.headers?.code === NO_RESPONDERS;
    waiting?.settle(unserved ? new errors.NoRespondersError(waiting.subject) : msg);
  }

  /** Fails the requests that the server refused to publish. */
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

/** Sets the inbox of a connection, before its first request. */
export const setInbox = (nats: NatsConnection, inbox: string): void => void inboxes.set(nats, inbox);

/** Inbox prefix of a connection, under which it may subscribe to everything. */
function inboxOf(nats: NatsConnection): string {
  const inbox = inboxes.get(nats) ?? createInbox();
  inboxes.set(nats, inbox);
  return inbox;
}

/**
 * Sends a request and waits for its reply.
 * @throws NoRespondersError when no process serves the subject, TimeoutError, PermissionViolationError when the server refuses
 *   the request, ConnectionError of a closed connection.
 */
export async function ask(nats: NatsConnection, question: Question): Promise<Msg> {
  if (nats.isClosed()) throw new errors.ClosedConnectionError();
  let own = questions.get(nats);
  if (!own) questions.set(nats, (own = new Questions(nats, inboxOf(nats))));
  return await own.ask(question);
}
