import { AccountId, Incarnation, KeyId, PROTOCOL, type RejectCode, Start, START_HEADERS, type StreamId } from '@slipway/contracts';
import { type Logger, type Msg, readTrace } from '@slipway/platform';
import type { StreamSettings } from '../stream-settings.js';
import type { Admission, Generation, StartOrigin, WorkerLoad } from '../types.js';
import type { Publisher } from '../wire/link.js';
import type { FrameAddress, Subjects } from '../wire/subjects.js';
import type { SenderCounters, WorkerIdentity } from './load-reporter.js';
import { type AssemblySettings, PartAssemblies } from './part-assemblies.js';
import type { StreamTable } from './stream-table.js';
import { WorkerStream, type WorkerStreamHost } from './worker-stream.js';

const StartHeadSchema = Start.message.omit({ req: true });
/** The fields of a start before its request. */
type StartHead = Omit<Start, 'req'>;

/** A start that can be admitted or refused. */
interface ArrivedStart {
  readonly kind: 'start';
  readonly reply: string;
  readonly address: FrameAddress;
  readonly head: StartHead;
  /** All of it, as JSON in UTF-8. */
  readonly body: Uint8Array;
  /** The whole start, where it was parsed already. */
  readonly start: Start | null;
  readonly origin: StartOrigin;
}

interface RefusedStart {
  readonly kind: 'refused';
  readonly reply: string;
  readonly code: 'malformed' | 'incomplete' | 'busy';
}

/** `unanswerable` = no reply subject that frames may be sent to. */
type Intake = ArrivedStart | RefusedStart | { readonly kind: 'waiting' } | { readonly kind: 'unanswerable' };

/** A head is shorter than this, in bytes. */
const HEAD_BYTES = 4 * 1024;
/** Starts up to this many bytes are parsed whole at once, which costs less than reading the head apart. */
const READ_AT_ONCE_BYTES = 4 * 1024;
/** A longer claim is ignored. */
const CLAIM_CHARS_MAX = 200;
const MAJOR = PROTOCOL.split('.')[0];
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads start messages, whole or in parts. Never throws, whatever arrives. */
class StartIntake {
  readonly #parts: PartAssemblies;

  readonly #subjects: Subjects;

  constructor(subjects: Subjects, settings: AssemblySettings) {
    this.#subjects = subjects;
    this.#parts = new PartAssemblies(settings);
  }

  read(msg: Msg, now: number): Intake {
    const reply = msg.reply ?? '';
    const address = this.#subjects.readFrames(reply);
    if (!address) return { kind: 'unanswerable' };
    const position = msg.headers?.get(START_HEADERS.part) ?? '';
    if (position === '') return this.#judge(msg, { reply, address }, msg.data);
    const digest = msg.headers?.get(START_HEADERS.digest);
    const result = this.#parts.add({ key: reply, gw: address.gw, position, digest, body: msg.data }, now);
    if (result === 'waiting') return { kind: 'waiting' };
    if (typeof result === 'string') return { kind: 'refused', reply, code: result };
    return this.#judge(msg, { reply, address }, result.body);
  }

  /** Drops the parts of all attempts of a stream up to `at`. */
  drop(st: StreamId, at: number): void {
    this.#parts.drop((reply) => {
      const address = this.#subjects.readFrames(reply);
      return address?.st === st && address.at <= at;
    });
  }

  /** Refuses starts whose parts did not arrive in time. */
  expire(now: number): RefusedStart[] {
    return this.#parts.expire(now).map((reply) => ({ kind: 'refused', reply, code: 'incomplete' }));
  }

  #judge(msg: Msg, to: { reply: string; address: FrameAddress }, body: Uint8Array): Intake {
    const head = understood(msg) && body.length > READ_AT_ONCE_BYTES ? readHead(body) : null;
    const start = head === null && understood(msg) ? readStart(body) : null;
    const known = head ?? start;
    if (!known || known.st !== to.address.st || known.at !== to.address.at) return { kind: 'refused', reply: to.reply, code: 'malformed' };
    return { kind: 'start', ...to, head: known, body, start, origin: originOf(msg, to.address.gw) };
  }
}

function originOf(msg: Msg, gw: string): StartOrigin {
  const number = (name: string): number => Number(msg.headers?.get(name) ?? '');
  const claim = msg.headers?.get(START_HEADERS.claim) ?? '';
  const trace = readTrace(msg.headers?.get('traceparent'), msg.headers?.get('tracestate'));
  return {
    gw: Incarnation.parse(gw),
    account: AccountId.safeParse(number(START_HEADERS.account)).data ?? null,
    key: KeyId.safeParse(number(START_HEADERS.key)).data ?? null,
    claim: claim !== '' && claim.length <= CLAIM_CHARS_MAX ? claim : null,
    deadlineMs: deadlineOf(msg),
    ...(trace && { trace }),
  };
}

function understood(msg: Msg): boolean {
  const version = msg.headers?.get(START_HEADERS.protocol) ?? '';
  return version === '' || version.split('.')[0] === MAJOR;
}

/** Infinity where absent or unreadable. Every part carries it; the last one that arrived counts. */
function deadlineOf(msg: Msg): number {
  const text = msg.headers?.get(START_HEADERS.deadline) ?? '';
  const value = Number(text);
  return text === '' || !Number.isFinite(value) ? Number.POSITIVE_INFINITY : value;
}

/** Parses a whole start; null where it is malformed. */
function readStart(body: Uint8Array): Start | null {
  try {
    return Start.message.safeParse(JSON.parse(decoder.decode(body))).data ?? null;
  } catch {
    return null;
  }
}

/**
 * Reads the head of a start without parsing its request, which may be megabytes.
 * @returns null where the head does not stand before the request: then the whole start must be parsed.
 */
function readHead(body: Uint8Array): StartHead | null {
  const beginning = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, HEAD_BYTES));
  const end = beginning.indexOf(',"req":');
  if (end < 0) return null;
  try {
    return StartHeadSchema.safeParse(JSON.parse(`${beginning.toString('utf8', 0, end)}}`)).data ?? null;
  } catch {
    return null;
  }
}

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
      if (!known && admitUnread && body.length > UNREAD_BYTES) return admitUnread({ body, ...head }, origin);
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
