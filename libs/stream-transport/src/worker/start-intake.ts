import { AccountId, Incarnation, KeyId, PROTOCOL, START_HEADERS, Start, type StreamId } from '@slipway/contracts';
import type { Msg } from '@slipway/platform';
import type { StartOrigin } from '../types.js';
import type { FrameAddress, Subjects } from '../wire/subjects.js';
import { type AssemblySettings, PartAssemblies } from './part-assemblies.js';

const StartHeadSchema = Start.message.omit({ req: true });
/** The fields of a start before its request. */
export type StartHead = Omit<Start, 'req'>;

/** A start that can be admitted or refused. */
export interface ArrivedStart {
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

export interface RefusedStart {
  readonly kind: 'refused';
  readonly reply: string;
  readonly code: 'malformed' | 'incomplete' | 'busy';
}

/** `unanswerable` = no reply subject that frames may be sent to. */
export type Intake = ArrivedStart | RefusedStart | { readonly kind: 'waiting' } | { readonly kind: 'unanswerable' };

/** A head is shorter than this, in bytes. */
const HEAD_BYTES = 4 * 1024;
/** Starts up to this many bytes are parsed whole at once, which costs less than reading the head apart. */
const READ_AT_ONCE_BYTES = 4 * 1024;
/** A longer claim is ignored. */
const CLAIM_CHARS_MAX = 200;
const MAJOR = PROTOCOL.split('.')[0];
const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads start messages, whole or in parts. Never throws, whatever arrives. */
export class StartIntake {
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
  return {
    gw: Incarnation.parse(gw),
    account: AccountId.safeParse(number(START_HEADERS.account)).data ?? null,
    key: KeyId.safeParse(number(START_HEADERS.key)).data ?? null,
    claim: claim !== '' && claim.length <= CLAIM_CHARS_MAX ? claim : null,
    deadlineMs: deadlineOf(msg),
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
export function readStart(body: Uint8Array): Start | null {
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
