import { isAscii } from 'node:buffer';
import { TextDecoder } from 'node:util';
import { SharedBudget } from '@slipway/platform';
import { createParser } from 'eventsource-parser';

/** Largest event, in characters: the arguments of a call, or a whole answer, may come as one. In pieces they may be as long. */
export const MAX_EVENT_CHARS = 8 * 1024 * 1024;
/** What an event may hold without room for large events, in characters: as much as one read of a socket brings. */
const FREE_EVENT_CHARS = 64 * 1024;

/** Characters that large events hold at once while they arrive. */
export interface EventRoomBounds {
  readonly perAccount: number;
  readonly inAll: number;
}

/** Room for large events of all engines of a process, shared among accounts. */
export class EventRoom {
  readonly #budget: SharedBudget;

  constructor(private readonly bounds: EventRoomBounds) {
    this.#budget = new SharedBudget(bounds.inAll);
  }

  /** @param account the account that is answered; null = none */
  of(account: number | null): EventShare {
    const shares = [{ owner: `account:${account ?? 'none'}`, max: this.bounds.perAccount }];
    return {
      take: (chars) => this.#budget.take(chars, shares),
      give: (chars) => this.#budget.giveBack(chars, shares),
    };
  }
}

/** What one account has of an `EventRoom`. */
export interface EventShare {
  /** @returns false when there is not so much room; then nothing is taken. */
  take(chars: number): boolean;
  give(chars: number): void;
}

/** A stream that breaks the rules of server-sent events or of UTF-8. The message holds nothing of its content. */
export class BrokenStreamError extends Error {
  override readonly name = 'BrokenStreamError';
}

/** Takes server-sent events out of bytes as they arrive. Comments, event names and ids are dropped. Close it when it is over. */
export class SseReader {
  /** Made with the first bytes that are not ASCII; most streams have none, and it costs more than they do. */
  #decoder: TextDecoder | null = null;
  #begun = false;
  readonly #parser = createParser({
    maxBufferSize: MAX_EVENT_CHARS,
    onEvent: (event) => void this.#events.push(event.data),
    onComment: () => (this.#isBetween = true),
    onError: (error) => {
      this.#tooLarge ||= error.type === 'max-buffer-size-exceeded';
    },
  });
  #events: string[] = [];
  #tooLarge = false;
  /** A comment came, which leaves nothing behind. */
  #isBetween = false;
  /** Characters of the event that is not complete yet, at most. */
  #pending = 0;
  #taken = 0;
  #inside = false;
  #between = false;

  constructor(private readonly room: EventShare) {}

  /**
   * Data of the events that these bytes complete. An event that the end of the stream cuts off never comes.
   * @throws BrokenStreamError
   */
  feed(bytes: Uint8Array): string[] {
    const text = this.#decode(bytes);
    this.#parser.feed(text);
    this.#between = text.endsWith('\n\n') || text.endsWith('\r\n\r\n');
    if (this.#tooLarge) throw new BrokenStreamError('an event is larger than 8 Mi characters');
    const arrived = this.#events;
    this.#events = [];
    this.#account(text.length, arrived.length > 0 || this.#isBetween);
    this.#isBetween = false;
    return arrived;
  }

  /** Whether the last bytes ended with an empty line, so that nothing of an event is held; false before the first bytes. */
  get between(): boolean {
    return this.#between;
  }

  /** Whether the last bytes completed no event. */
  get inside(): boolean {
    return this.#inside;
  }

  /** Gives back the room of an event that will not be completed. */
  close(): void {
    if (this.#taken > 0) this.room.give(this.#taken);
    this.#taken = 0;
  }

  #account(chars: number, isCompleted: boolean): void {
    this.#inside = !isCompleted;
    if (isCompleted) this.close();
    this.#pending = isCompleted ? chars : this.#pending + chars;
    const needed = this.#pending - FREE_EVENT_CHARS - this.#taken;
    if (needed <= 0) return;
    if (!this.room.take(needed)) throw new BrokenStreamError('too many large events arrive at once');
    this.#taken += needed;
  }

  #decode(bytes: Uint8Array): string {
    const isFirst = !this.#begun;
    this.#begun = true;
    if (this.#decoder === null && isAscii(bytes)) return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
    // Only at the beginning of a stream is a byte order mark one.
    this.#decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: !isFirst });
    try {
      return this.#decoder.decode(bytes, { stream: true });
    } catch (cause) {
      throw new BrokenStreamError('the stream is not UTF-8', { cause });
    }
  }
}
