import type { RejectCode, StreamId } from '@slipway/contracts';
import type { Logger, Msg } from '@slipway/platform';
import type { StreamSettings } from '../stream-settings.js';
import type { Admission, Generation, WorkerLoad } from '../types.js';
import type { Publisher } from '../wire/publisher.js';
import type { Subjects } from '../wire/subjects.js';
import type { WorkerIdentity } from './load-reporter.js';
import type { SenderCounters } from './sender-counters.js';
import { type ArrivedStart, readStart, StartIntake } from './start-intake.js';
import type { StreamTable } from './stream-table.js';
import { WorkerStream, type WorkerStreamHost } from './worker-stream.js';

/** Starts above this many bytes are not parsed on the event loop where `admitUnread` exists: parsing the worst takes 3 ms. */
const UNREAD_BYTES = 64 * 1024;
/** Retry advice with a busy answer, in milliseconds. */
const BUSY_RETRY_MS = 100;

export interface StartHandlerOptions {
  readonly identity: WorkerIdentity;
  readonly settings: StreamSettings;
  readonly subjects: Subjects;
  readonly counters: SenderCounters;
  readonly publisher: Publisher;
  readonly table: StreamTable;
  readonly host: WorkerStreamHost;
  readonly admission: Admission;
  readonly load: () => WorkerLoad;
  readonly draining: () => boolean;
  /** Sends a stream's gateway the accept frame. */
  readonly accepted: (stream: WorkerStream, json: string) => void;
  /** A stream was admitted and begins to run. */
  readonly begun: () => void;
  readonly log: Pick<Logger, 'error'>;
}

/** Handles every start message: reads it, then admits, rejects, or recognises it as a repetition. */
export class StartHandler {
  readonly #intake: StartIntake;
  /** The answer to every admitted start, as JSON. */
  readonly #accept: string;

  readonly #options: StartHandlerOptions;

  constructor(options: StartHandlerOptions) {
    this.#options = options;
    const { identity, settings, subjects } = options;
    this.#intake = new StartIntake(subjects, settings);
    const accept = { k: 'acc', wk: identity.wk, rev: identity.rev, fp: identity.fingerprint, lease_ms: settings.leaseMs };
    this.#accept = JSON.stringify(accept);
  }

  handle(msg: Msg, now: number): void {
    const { counters, table } = this.#options;
    const arrived = this.#intake.read(msg, now);
    if (arrived.kind === 'waiting') return;
    if (arrived.kind !== 'start') {
      counters.malformed += 1;
      if (arrived.kind === 'refused') this.#reject(arrived.reply, arrived.code);
      return;
    }
    const { st, at } = arrived.head;
    const known = table.find(st, at);
    if (known) {
      counters.duplicates += 1;
      this.#options.accepted(known, this.#accept);
      known.replay(0);
    } else if (table.isPast(st, at)) counters.past += 1;
    else this.#judge(arrived, now);
  }

  /** Drops the parts of cancelled attempts. */
  cancelled(st: StreamId, at: number): void {
    this.#intake.drop(st, at);
  }

  /** Rejects starts whose parts did not arrive in time. */
  tick(now: number): void {
    for (const { reply, code } of this.#intake.expire(now)) this.#reject(reply, code);
  }

  #judge(arrived: ArrivedStart, now: number): void {
    const answer = this.#refusalOf(arrived) ?? this.#admit(arrived);
    if (answer === 'malformed') this.#options.counters.malformed += 1;
    if (typeof answer === 'string') this.#reject(arrived.reply, answer);
    else this.#begin(arrived, answer, now);
  }

  #begin({ address, reply, origin, head }: ArrivedStart, generation: Generation, now: number): void {
    const { host, identity, subjects, table, counters, accepted, begun } = this.#options;
    const stream = new WorkerStream({
      host,
      address,
      reply,
      noInterest: subjects.noInterest(identity.wk, address.st, address.at),
      interest: table.interestOf(address.gw, now),
      deadlineMs: origin.deadlineMs,
      batch: head.batch ?? false,
      whole: head.whole ?? false,
    });
    table.add(stream, now);
    counters.started += 1;
    accepted(stream, this.#accept);
    begun();
    void stream.run(generation);
  }

  /** Refuses by the head alone, so that a refused start is never parsed. */
  #refusalOf({ head, origin }: ArrivedStart): RejectCode | null {
    const { identity, draining, admission } = this.#options;
    if (draining()) return 'draining';
    if (head.dep !== identity.dep || head.rev !== identity.rev) return 'not_here';
    return origin.deadlineMs <= 0 ? 'deadline' : (admission.refusal?.(head) ?? null);
  }

  #admit({ head, body, start: known, origin }: ArrivedStart): Generation | RejectCode {
    const { admit, admitUnread } = this.#options.admission;
    try {
      if (!known && admitUnread && body.length > UNREAD_BYTES) return admitUnread({ ...head, body }, origin);
      const start = known ?? readStart(body);
      return start ? admit(start, origin) : 'malformed';
    } catch (err) {
      this.#options.log.error({ st: head.st, err }, 'stream.admission_failed');
      return 'busy';
    }
  }

  #reject(reply: string, code: RejectCode): void {
    const { counters, publisher, identity, load } = this.#options;
    counters.rejected += 1;
    const { used, slots } = load();
    const retry = code === 'busy' ? BUSY_RETRY_MS : 0;
    publisher.send(reply, JSON.stringify({ k: 'rej', wk: identity.wk, code, retry_ms: retry, used, slots }));
  }
}
