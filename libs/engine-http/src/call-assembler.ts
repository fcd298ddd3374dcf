import { ServiceError, type StreamEvent } from '@slipway/contracts';
import { isJsonObject, newCallId, WholeCharacters } from '@slipway/engine';
import { BrokenStreamError, MAX_EVENT_CHARS } from './sse-reader.js';
import type { CallPiece } from './upstream-chunk.js';

/** Beyond these an answer is an attack on memory, or a model that repeats itself. */
const MAX_CALLS = 128;

/** One call while it arrives. */
class Call {
  readonly #characters = new WholeCharacters();
  name = '';
  id = '';
  args = '';
  /** Characters of `args` that were handed on. */
  sent = 0;
  announced = false;

  constructor(readonly index: number | null) {}

  take({ id, name, args }: CallPiece): void {
    if (this.id === '') this.id = id;
    // Some servers repeat the name with every piece.
    if (this.name === '') this.name = name;
    this.args += this.#characters.push(args);
    if (this.args.length > MAX_EVENT_CHARS) throw new BrokenStreamError('the arguments of a call are too long');
  }

  /** Whether more of it would only break it. */
  get complete(): boolean {
    return this.args.trimEnd().endsWith('}') && isJsonObject(this.args);
  }
}

type CallEvent = Extract<StreamEvent, { k: 'call' | 'args' }>;

/**
 * Makes calls of the pieces of one choice, in whatever pieces a server sends them: with numbers or without, with ids
 * once, always or never, whole or in parts, one after the other or interleaved. They leave one after the other.
 */
export class CallAssembler {
  readonly #calls: Call[] = [];
  readonly #ids = new Set<string>();
  /** Calls before this one are handed on and over. */
  #current = 0;

  constructor(
    private readonly choice: number,
    /** Calls to hand on; the rest is dropped. */
    private readonly limit: number,
  ) {}

  /** Whether a call was handed on. */
  get any(): boolean {
    return this.#calls[0]?.announced === true;
  }

  /** @returns what can be handed on now. */
  push(pieces: readonly CallPiece[]): CallEvent[] {
    for (const piece of pieces) this.#callOf(piece).take(piece);
    return this.#ready();
  }

  /**
   * The choice is over.
   * @param cut the server ended it at a limit: calls may be incomplete then, and are handed on as far as they came.
   * @throws ServiceError when the arguments of a call are not an object.
   */
  end(cut: boolean): CallEvent[] {
    const events: CallEvent[] = [];
    for (; this.#current < this.#passed.length; this.#current += 1) events.push(...this.#finish(this.#current, cut));
    return events;
  }

  get #passed(): readonly Call[] {
    return this.#calls.slice(0, this.limit);
  }

  #callOf(piece: CallPiece): Call {
    const known = this.#known(piece);
    if (known && !isAnother(known, piece)) return known;
    if (this.#calls.length >= MAX_CALLS) throw new BrokenStreamError('an answer has too many calls');
    const call = new Call(piece.index);
    this.#calls.push(call);
    return call;
  }

  /** The call that a piece goes on with, if it goes on with any. The latest wins: some servers number all calls 0. */
  #known({ index, id }: CallPiece): Call | undefined {
    if (index !== null) return this.#calls.findLast((call) => call.index === index);
    return (id === '' ? undefined : this.#calls.findLast((call) => call.id === id)) ?? this.#calls.at(-1);
  }

  #ready(): CallEvent[] {
    const events: CallEvent[] = [];
    for (;;) {
      const call = this.#passed[this.#current];
      if (!call || call.name === '') return events;
      events.push(...this.#handOn(call));
      // The next one begins only when this one cannot go on: pieces of several may come interleaved.
      if (this.#current + 1 >= this.#passed.length || !call.complete) return events;
      this.#current += 1;
    }
  }

  #finish(at: number, cut: boolean): CallEvent[] {
    const call = this.#calls[at];
    if (!call) return [];
    if (cut && call.name === '') return [];
    if (!cut && call.args.trim() === '') call.args += '{}';
    if (call.name === '' || (!cut && !isJsonObject(call.args))) {
      throw new ServiceError('engine_error', 'The engine ended a tool call that is not complete.');
    }
    return this.#handOn(call);
  }

  #handOn(call: Call): CallEvent[] {
    const head = { ...(this.choice > 0 && { c: this.choice }), i: this.#calls.indexOf(call) };
    const events: CallEvent[] = [];
    if (!call.announced) events.push({ k: 'call', ...head, id: this.#idOf(call), name: call.name, n: 1 });
    call.announced = true;
    if (call.sent < call.args.length) events.push({ k: 'args', ...head, x: call.args.slice(call.sent), n: 1 });
    call.sent = call.args.length;
    return events;
  }

  /** The server's own id, unless it gave none or gave it twice. */
  #idOf(call: Call): string {
    const id = call.id === '' || this.#ids.has(call.id) ? newCallId() : call.id;
    this.#ids.add(id);
    return id;
  }
}

/** Whether a piece begins another call than the one that its number leads to. */
function isAnother(call: Call, { id, name, args, index }: CallPiece): boolean {
  if (id !== '' && call.id !== '' && id !== call.id) return name !== '' || index === null;
  if (name === '' || call.name === '') return false;
  if (index === null && name !== call.name) return true;
  // A whole call more under the same number and name; the one before could not go on.
  return args !== '' && id === '' && call.complete;
}
